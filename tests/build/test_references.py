"""Image references, normalised."""

from __future__ import annotations

import pytest

from imgcheck.build.references import Reference, parse_reference

DIGEST = "sha256:" + "a" * 64


def parsed(text: str) -> Reference:
    reference = parse_reference(text)
    assert reference is not None
    return reference


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("python", "docker.io/library/python:latest", True),
        ("python", "index.docker.io/library/python", True),
        ("python:3", "python", False),
        ("a/b:1", "docker.io/a/b:1", True),
        ("r.example/b:1", "b:1", False),
        ("localhost/b", "b", False),
        ("r:5000/b:1", "r:5000/b:1", True),
        (f"a:1@{DIGEST}", "a:1", True),
        (f"a@{DIGEST}", "a", False),
    ],
)
def test_same_name(one: str, other: str, *, same: bool) -> None:
    assert parsed(one).same_name(parsed(other)) is same


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("python:latest", "python"),
        ("docker.io/library/python", "python"),
        ("docker.io/a/b:1", "a/b:1"),
        ("r:5000/b", "r:5000/b"),
        (f"a:latest@{DIGEST}", f"a:latest@{DIGEST}"),
        (f"a@{DIGEST}", f"a@{DIGEST}"),
    ],
)
def test_context_name(text: str, name: str) -> None:
    assert parsed(text).context_name == name


@pytest.mark.parametrize("text", ["", "A", "a:", "a b", "a@sha256:x", "/a", "a//b", ":1"])
def test_no_reference(text: str) -> None:
    assert parse_reference(text) is None

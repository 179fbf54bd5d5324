"""Where an image keeps the constraints of its own pip."""

from __future__ import annotations

import pytest

from imgcheck.constraints import constraint_paths, unread_constraints
from tests.contract.bases import REFERENCE, image


@pytest.mark.parametrize(
    ("env", "paths"),
    [
        pytest.param((), ("/etc/pip/constraint.txt",), id="unset: the usual place"),
        pytest.param(("PIP_CONSTRAINT=",), ("/etc/pip/constraint.txt",), id="empty"),
        pytest.param(("A=b", "PIP_CONSTRAINT=/c.txt"), ("/c.txt",), id="set"),
        pytest.param(("PIP_CONSTRAINT=/c.txt  /d.txt /c.txt",), ("/c.txt", "/d.txt"), id="several"),
        pytest.param(("PIP_CONSTRAINT=c.txt",), ("/srv/c.txt",), id="relative to the working folder"),
        pytest.param(("PIP_CONSTRAINT=file:///a%20b.txt",), ("/a b.txt",), id="file address"),
        pytest.param(("PIP_CONSTRAINT=https://x.example/c.txt",), (), id="address"),
        pytest.param(("PIP_CONSTRAINT=/old", "PIP_CONSTRAINT=/new"), ("/new",), id="set twice"),
    ],
)
def test_paths_come_from_the_variable(env: tuple[str, ...], paths: tuple[str, ...]) -> None:
    assert constraint_paths(image(env=env, workdir="/srv")) == paths


def test_an_address_is_told_as_not_read() -> None:
    env = ("PIP_CONSTRAINT=/c.txt https://x.example/c.txt",)
    assert unread_constraints(image(env=env)) == (
        f"PIP_CONSTRAINT of {REFERENCE} names https://x.example/c.txt, which is not read: it is no file of the image",
    )
    assert unread_constraints(image()) == ()

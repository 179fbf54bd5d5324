"""Options handed on to the builder."""

from __future__ import annotations

import pytest

from imgcheck.build.options import BuildOptions
from imgcheck.errors import UsageError


def test_a_bare_build_argument_takes_the_environments_value() -> None:
    options = BuildOptions(build_args=("A=1", "B", "C", "D=x=y", "E="))
    assert options.arguments({"B": "2"}) == {"A": "1", "B": "2", "D": "x=y", "E": ""}


def test_names_of_build_contexts_are_normalised() -> None:
    options = BuildOptions(build_contexts=("docker.io/library/python:latest=docker-image://a", "Src=./x"))
    assert options.contexts() == {"python": "docker-image://a", "Src": "./x"}


def test_hosts_are_written_either_way() -> None:
    assert BuildOptions(add_hosts=("a:1.2.3.4", "b=::1")).hosts() == {"a": "1.2.3.4", "b": "::1"}


def test_labels() -> None:
    assert BuildOptions(labels=("a=1=2", "b")).user_labels() == {"a": "1=2", "b": ""}


@pytest.mark.parametrize("written", ["x", "=x", "x="])
def test_a_pair_without_a_half_is_an_error(written: str) -> None:
    with pytest.raises(UsageError, match="--build-context"):
        BuildOptions(build_contexts=(written,)).contexts()


def test_one_platform_at_a_time() -> None:
    with pytest.raises(UsageError, match="one platform at a time"):
        BuildOptions(platform="linux/amd64,linux/arm64")

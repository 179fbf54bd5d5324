"""What an engine refuses becomes an error that says whose fault it is."""

from __future__ import annotations

import pytest
from docker.errors import APIError
from requests import Response

from imgcheck.engines.refusals import is_absent, refusal
from imgcheck.errors import EngineFaultError, EngineRefusedError, UnsuitableImageError, UsageError


def answer(status: int, explanation: str) -> APIError:
    response = Response()
    response.status_code = status
    return APIError("x", response=response, explanation=explanation)


@pytest.mark.parametrize(
    ("status", "said", "kind"),
    [
        (500, "no space left on device", EngineFaultError),
        (409, "it is in use", EngineRefusedError),
        (400, "unable to find user me", UsageError),
        (500, "mkdir .imgcheck: not a directory", UnsuitableImageError),
    ],
)
def test_a_refusal_is_told_by_whose_fault_it_is(status: int, said: str, kind: type[Exception]) -> None:
    told = refusal("do it", answer(status, said))
    assert type(told) is kind
    assert said in str(told)


def test_only_what_speaks_of_the_path_says_that_itis_absent() -> None:
    assert is_absent(answer(404, "could not find it"), "/a/b")
    assert is_absent(answer(500, "lstat /a/b: not a directory"), "/a/b")
    assert not is_absent(answer(500, "mkdir .imgcheck: not a directory"), "/a/b")
    assert not is_absent(answer(500, "restarting"), "/a/b")

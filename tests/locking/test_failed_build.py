"""A build that found no solution, told with ways out, or with why there are none to tell."""

from __future__ import annotations

from typing import Any

import pytest

from imgcheck.build.dockerfile import parse_syntax
from imgcheck.build.stages import resolve
from imgcheck.errors import UnresolvableBuildError
from imgcheck.facts.plan import Attempt, Install, Place
from imgcheck.locking import failed_build
from imgcheck.locking.failed_build import explained

TEXT = "FROM base\nRUN pip install a\nRUN pip install \\\n  tool==1.0\n"
DOCKERFILE = resolve(parse_syntax(TEXT, file="Dockerfile"), build_args={}, platform="linux/amd64")
AT = Place(file="Dockerfile", line=3)
ERROR = UnresolvableBuildError("Dockerfile:3: x needs y", line=3, remedy="choose", details="log")
FIRST, SECOND = (
    Install(place=place, tool="pip", verb="install", command="pip", on_base=True, image="base")
    for place in (Place(file="Dockerfile", line=2), AT)
)


@pytest.fixture
def tell(monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(*found: Attempt, installs: tuple[Install, ...] = (FIRST, SECOND)) -> UnresolvableBuildError:
        def attempts(_trial: Any, guilty: Any) -> tuple[Attempt, ...]:
            assert list(guilty) == [SECOND]
            return found

        monkeypatch.setattr(failed_build, "attempts", attempts)
        trial: Any = None
        return explained(ERROR, trial, DOCKERFILE, installs)

    return run


def test_all_conflicts_of_the_step_and_their_ways_out(tell: Any) -> None:
    error = tell(
        Attempt(
            place=AT, subject="y<1", message="r.txt:1: x needs y<1, and the contract pins y", ways=("x 2 fits", "none")
        ),
        Attempt(place=AT, subject="z<1", message="r.txt:2: w needs z<1, and the contract pins z", ways=("x 2 fits",)),
    )
    assert error.message == (
        "Dockerfile:3: there is no solution under the contract\n"
        "  r.txt:1: x needs y<1, and the contract pins y\n  r.txt:2: w needs z<1, and the contract pins z"
    )
    assert error.remedy == "x 2 fits\n  → none"
    assert (error.line, error.details) == (3, "log")


def test_why_ways_out_could_not_be_tried(tell: Any) -> None:
    untold = tell(Attempt(place=AT, subject="s", message="no index answered", unverified=True))
    assert untold.message == ERROR.message
    assert untold.remedy == "choose\n  (the ways out could not be tried: no index answered)"
    assert "the build may look in another index" in tell(Attempt(place=AT, subject="s")).remedy
    assert "not looked for" in tell(installs=(FIRST,)).remedy

"""A fresh resolution of a build's steps, each keeping what the steps before it brought."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from imgcheck.errors import ResolverTimeoutError
from imgcheck.facts.rebuild import RebuildFacts
from imgcheck.locking import attempting
from imgcheck.locking.attempting import Trial
from imgcheck.locking.fresh import freshly_resolved
from imgcheck.locking.resolving import Bench, Question, Resolution
from imgcheck.locking.sources import Sources
from imgcheck.progress import QuietProgress
from tests.build.fakes import contract
from tests.checks.build_facts import dist, facts
from tests.locking.test_attempting import an_install

ASKED: list[Question] = []


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Callable[..., RebuildFacts]:
    def run(answer: Any, *installs: Any) -> RebuildFacts:
        ASKED.clear()

        def resolve(_bench: Any, question: Question) -> Resolution:
            ASKED.append(question)
            found: Resolution = answer(question)
            return found

        monkeypatch.setattr(attempting, "tools_for", lambda *_: {})
        monkeypatch.setattr(Bench, "resolve", resolve)
        engine: Any = None
        found = facts(dist("numpy 1.26.4"))
        trial = Trial(
            engine=engine,
            base=found.image,
            inventory=found.inventory,
            contract=contract(),
            constraints="numpy==1.26.4\n",
            sources=Sources(),
            progress=QuietProgress(),
        )
        return freshly_resolved(trial, installs)

    return run


def six_and_more(question: Question) -> Resolution:
    text = "".join(question.texts.values())
    return Resolution(solved=True, text="six==1.17.0\n" if "six" in text else "tool==2.0\nnumpy==1.26.4\n", log="")


def test_each_step_keeps_what_is_there(fresh: Any) -> None:
    found = fresh(six_and_more, an_install("six"), an_install("tool", bypass="emptied", options=("--upgrade",)))
    assert {one.name: one.version for one in found.distributions} == {
        "six": "1.17.0",
        "tool": "2.0",
        "numpy": "1.26.4",
    }
    assert found.kind == "resolve"
    first, second = ASKED
    assert (first.seed, second.seed) == ("numpy==1.26.4\n", "numpy==1.26.4\nsix==1.17.0\n")
    assert (first.constraints, second.constraints) == ("numpy==1.26.4\n", "")


def test_steps_with_other_resolvers_are_left_out_and_told(fresh: Any) -> None:
    found = fresh(six_and_more, an_install("six"), an_install("x", tool="conda"), an_install("y", on_base=False))
    assert found.left_out == (
        "Dockerfile:4: install has a resolver of its own",
        "Dockerfile:4: its stage is not the base's",
    )


def test_one_step_without_an_answer_leaves_the_whole_untold(fresh: Any) -> None:
    unsolved = fresh(lambda _: Resolution(solved=False, text="", log=""), an_install("six"))
    assert (unsolved.distributions, unsolved.problem) == ((), "Dockerfile:4: there is no solution today")

    def late(_question: Question) -> Resolution:
        raise ResolverTimeoutError("late")

    assert fresh(late, an_install("six")).problem == "it was not resolved within 120 s"

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from imgcheck.checks.failed_selfcheck import CHECK, judge
from imgcheck.facts.model import Distribution, EntryPoint, Facts
from imgcheck.facts.selfchecks import SelfCheck, SelfCheckFacts
from imgcheck.judging import Selection
from imgcheck.judging import judge as judge_all
from imgcheck.outcome import CheckState, Judgement
from tests.checks.build_facts import a_contract, dist, facts

TRAINING = dist(
    "tinytrain 1.0",
    modules=["tinytrain"],
    entry_points=(EntryPoint(group="imgcheck.selfcheck", name="validation", value="tinytrain:check"),),
)


def told(outcome: str, *, process: dict[str, Any] | None = None, **more: Any) -> SelfCheck:
    ended = {"name": "selfcheck", "reached": "done" if outcome == "returned" else "start", **(process or {})}
    return SelfCheck.model_validate({"value": "tinytrain:check", "outcome": outcome, "process": ended, **more})


def having(one: SelfCheck | None = None, of: tuple[Distribution, ...] = (TRAINING,)) -> Facts:
    found = {"tinytrain:validation": one} if one else {}
    return facts(*of).model_copy(update={"selfchecks": SelfCheckFacts(called=found)})


def judged(one: SelfCheck) -> Judgement:
    return judge(a_contract(), having(one))


def test_one_that_returns_is_kept() -> None:
    assert judged(told("returned")) == Judgement(examined=1, unit="self-checks")


def test_each_key_of_a_dictionary_has_a_verdict_of_its_own() -> None:
    returned = {
        "loss": {"ok": False, "detail": "nan"},
        "export": False,
        "batches": 2,
        "plot": None,
        "size": {"ok": True},
    }
    judgement = judged(told("returned", returned=returned))
    assert judgement.examined == 5
    assert [(one.subject, one.summary) for one in judgement.faults] == [
        ("tinytrain:validation/loss", "Self-check tinytrain:validation/loss failed: nan"),
        ("tinytrain:validation/export", "Self-check tinytrain:validation/export failed: it says false"),
    ]


FAILURES: dict[str, tuple[SelfCheck, str]] = {
    "raised": (told("raised", reason="ValueError: nan", process={"exit_code": 1}), "it raised ValueError: nan"),
    "unloadable": (
        told("unloadable", reason="ModuleNotFoundError: x", process={"exit_code": 1}),
        "tinytrain:check cannot be loaded: ModuleNotFoundError: x",
    ),
    "exited": (
        told("ended", process={"exit_code": 0, "reached": "done"}),
        "its process ended with status 0 before it returned",
    ),
    "killed": (
        told("ended", process={"signal": 11}),
        "its process was ended by SIGSEGV",
    ),
    "hung": (told("ended", process={"detail": "it did not end within 5 s"}), "it did not end within 5 s before it"),
    "died at its end": (
        told("returned", process={"reached": "start", "signal": 6}),
        "it returned, and then its process was ended by SIGABRT",
    ),
}


@pytest.mark.parametrize(("one", "happened"), FAILURES.values(), ids=FAILURES)
def test_one_that_does_not_return_is_broken_and_says_how(one: SelfCheck, happened: str) -> None:
    (fault,) = judged(one).faults
    assert fault.actual.startswith(happened)
    assert not fault.unverified
    assert fault.remedy


@pytest.mark.parametrize("outcome", ["skipped", "untellable"])
def test_what_cannot_be_told_is_not_verified(outcome: str) -> None:
    (fault,) = judged(told(outcome, reason="needs a GPU")).faults
    assert fault.unverified
    assert "needs a GPU" in fault.actual


def test_the_traceback_is_the_evidence_and_names_what_is_missing() -> None:
    output = "Traceback (most recent call last):\n  File \"a.py\", line 1\nModuleNotFoundError: No module named 'cv2'\n"
    (fault,) = judged(told("raised", reason="x", process={"output": output, "exit_code": 1})).faults
    assert fault.evidence.endswith("No module named 'cv2'")
    assert fault.remedy == "Install opencv-python-headless, which it looked for and did not find."


def test_memory_is_named_where_the_kernel_ended_it() -> None:
    (fault,) = judged(told("ended", process={"signal": 9, "memory_kills": 1})).faults
    assert "runtime.memory" in fault.remedy


def test_none_is_broken_only_where_one_is_required() -> None:
    bare = having(of=())
    assert not judge(a_contract(), bare).faults
    (fault,) = judge(a_contract(selfchecks="required"), bare).faults
    assert fault.subject == "selfchecks"
    assert '[project.entry-points."imgcheck.selfcheck"]' in fault.remedy


def test_those_left_out_are_counted() -> None:
    contract = a_contract(selfchecks={"exclude": ["valid*"]})
    assert judge(contract, having()).passed_over == (("excluded by the contract", 1),)


def test_it_applies_unless_the_contract_forbids_it() -> None:
    assert CHECK.applies(a_contract())
    assert not CHECK.applies(a_contract(selfchecks=False))


def state_of(image: Facts, **promises: Any) -> CheckState:
    found = judge_all(
        a_contract(**promises), image, None, [CHECK], selected=Selection(), strict_base=False, today=date(2026, 12, 1)
    )
    return next(one.state for one in found if one.code == "IC602")


def test_what_nobody_offers_is_skipped_and_what_was_not_called_is_not_verified() -> None:
    """Facts that were saved by a run that left self-checks out."""
    assert state_of(facts(dist("other 1.0"))) is CheckState.SKIPPED
    assert state_of(facts(dist("other 1.0")), selfchecks="required") is CheckState.UNVERIFIED
    assert state_of(facts(TRAINING)) is CheckState.UNVERIFIED
    assert state_of(having(told("returned"))) is CheckState.KEPT

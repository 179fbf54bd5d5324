from __future__ import annotations

from typing import Any

from imgcheck.checks.unresolvable_requirement import judge
from imgcheck.facts.plan import Attempt, Install, Place, PlanFacts, Wanted
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract, facts

AT = Place(file="Dockerfile", line=7)
LINE = Place(file="requirements.txt", line=3)
CONTRACT = a_contract(pins={"protobuf": "4.25.3"})


def judged(specifier: str, *attempts: Attempt, bypass: str = "", **more: Any) -> Judgement:
    given = {"text": f"protobuf{specifier}", "place": LINE, "name": "protobuf", "specifier": specifier, **more}
    install = Install(
        place=AT, tool="pip", verb="install", command="pip install -r r.txt", on_base=True, image="base",
        wanted=(Wanted.model_validate(given),), bypass=bypass,
    )  # fmt: skip
    plan = PlanFacts(dockerfile="Dockerfile", instructions=4, installs=(install,), attempts=attempts)
    return judge(CONTRACT, facts().model_copy(update={"plan": plan}))


def test_what_a_pin_meets_is_left_to_the_build() -> None:
    judgement = judged(">=4,<5")
    assert (judgement.examined, judgement.faults) == (4, ())
    assert judgement.passed_over == (("not resolved here: the build resolves them", 1),)


def test_a_requirement_that_no_allowed_version_meets() -> None:
    (fault,) = judged("<=3.20.1").faults
    assert fault.summary == "requirements.txt:3 asks for protobuf<=3.20.1, and the contract pins protobuf 4.25.3"
    assert (str(fault.cause.step_location), str(fault.cause.location)) == ("Dockerfile:7", "requirements.txt:3")


def test_what_does_not_hold_there_or_goes_round_the_pin_contradicts_nothing() -> None:
    assert not judged("<4", applies=False).faults
    assert not judged("<4", bypass="PIP_CONSTRAINT is emptied there").faults


def test_a_conflict_that_was_resolved_goes_before_the_bare_contradiction() -> None:
    attempt = Attempt(
        place=AT, subject="protobuf<=3.20.1", message="r.txt:3: no", ways=("a 2 fits", "none"), pin="protobuf",
        requirement="the build asks for protobuf<=3.20.1", asked_at=LINE,
    )  # fmt: skip
    (fault,) = judged("<=3.20.1", attempt).faults
    assert (fault.summary, fault.expected, fault.remedy) == ("r.txt:3: no", "4.25.3", "a 2 fits; none")
    assert (fault.cause.step, str(fault.cause.location)) == ("pip install -r r.txt", "requirements.txt:3")
    elsewhere = attempt.model_copy(update={"place": Place(file="Dockerfile", line=9)})
    assert len(judged("<=3.20.1", elsewhere).faults) == 2


def test_resolutions_that_failed_or_could_not_be_tried() -> None:
    failed = Attempt(place=AT, subject="-r r.txt", message="x needs y", ways=("z 2 fits",), log="words")
    untried = Attempt(place=AT, subject="-r s.txt", message="no index answered", unverified=True)
    solved = Attempt(place=AT, subject="-r t.txt", left_out=("./pkg",), known_since="2026-11-01")
    judgement = judged(">=4", failed, untried, solved)
    assert [(fault.remedy, fault.unverified) for fault in judgement.faults] == [("z 2 fits", False), ("", True)]
    assert judgement.passed_over == (
        ("installs whose solution an earlier run found: not resolved again", 1),
        ("left out of the resolution: paths, and files that only the build has", 1),
    )

"""What a plan makes of resolutions, before a build and after one."""

from __future__ import annotations

from typing import Any

from imgcheck import planning
from imgcheck.errors import UsageError
from imgcheck.facts.plan import Attempt, Install, Place, PlanFacts, Wanted
from imgcheck.judging import Selection
from imgcheck.outcome import CheckState
from tests.build.fakes import contract
from tests.checks.build_facts import facts

AT = Place(file="Dockerfile", line=3)
INSTALL = Install(
    place=AT,
    tool="pip",
    verb="install",
    command="pip install six",
    on_base=True,
    image="base",
    wanted=(Wanted(text="six==1", name="six", specifier="==1", place=AT, pinned=True),),
)
PLAN = PlanFacts(dockerfile="Dockerfile", instructions=2, installs=(INSTALL,))


def judged(plan: PlanFacts, selection: Selection | None = None) -> dict[str, CheckState]:
    found = facts()
    results = planning.judge_plan(contract(), found.image, found.inventory, plan, selection or Selection())
    return {one.name: one.state for one in results if one.state is not CheckState.SKIPPED}


def with_attempt(**fields: Any) -> PlanFacts:
    return PLAN.model_copy(update={"attempts": (Attempt(place=AT, subject="s", **fields),)})


def test_a_plan_speaks_of_its_own_checks_alone() -> None:
    assert judged(PLAN) == {"unconstrained-install": CheckState.KEPT, "unresolvable-requirement": CheckState.KEPT}
    assert judged(PLAN, Selection(select=("moved-pin",))) == {}
    assert judged(PLAN, Selection(ignore=("IC703",))) == {"unresolvable-requirement": CheckState.KEPT}


def test_what_has_no_solution_stops_a_build_and_what_could_not_be_told_does_not() -> None:
    found = facts()

    def hopeless(plan: PlanFacts) -> bool:
        return planning.is_hopeless(planning.judge_plan(contract(), found.image, found.inventory, plan, Selection()))

    assert hopeless(with_attempt(message="no"))
    assert not hopeless(with_attempt(message="no index", unverified=True))
    assert (
        judged(with_attempt(message="no index", unverified=True))["unresolvable-requirement"] is CheckState.UNVERIFIED
    )


def test_a_build_that_ended_well_settles_what_could_not_be_told() -> None:
    untold = with_attempt(message="no index", unverified=True)
    assert judged(planning.settled_by_build(untold))["unresolvable-requirement"] is CheckState.KEPT
    assert planning.settled_by_build(with_attempt()) == with_attempt()


def test_nothing_is_resolved_where_nobody_asks() -> None:
    def trial() -> Any:
        raise AssertionError("no trial is wanted")

    assert planning.resolved(PLAN, contract(), trial, Selection(ignore=("IC704",))) == PLAN
    unheld = PLAN.model_copy(update={"installs": (INSTALL.model_copy(update={"on_base": False}),)})
    assert planning.resolved(unheld, contract(), trial, Selection()) == unheld
    assert planning.resolved(PLAN, contract(pins={}), trial, Selection()) == PLAN


def test_settings_of_this_machine_that_are_wrong_stop_no_build() -> None:
    def trial() -> Any:
        raise UsageError("the CA bundle /gone.pem cannot be read")

    (attempt,) = planning.resolved(PLAN, contract(), trial, Selection()).attempts
    assert (attempt.unverified, attempt.message) == (True, "the CA bundle /gone.pem cannot be read")

"""IC703: a step of the Dockerfile installs round the contract's constraints, or what nothing settles."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.installing import doubts, unsettled_images
from imgcheck.facts.model import Facts
from imgcheck.facts.plan import PlanFacts
from imgcheck.outcome import Fault, Judgement


def judge(contract: Contract, facts: Facts) -> Judgement:
    plan = facts.plan or PlanFacts(dockerfile="")
    faults = [fault for install in plan.installs for fault in doubts(contract, install)]
    faults += unsettled_images(plan)
    faults += [
        Fault(
            subject=f"{one.place.file}: {one.what}",
            summary=f"What is installed at {one.place} cannot be told: {one.what}",
            actual=f"{one.place}: {one.what}",
            remedy="Look at it by hand; checks of the built image look at what it brings.",
            unverified=True,
        )
        for one in plan.unread
    ]
    return Judgement(examined=plan.instructions, unit="instructions", faults=tuple(faults))


CHECK = Check(
    code="IC703",
    name="unconstrained-install",
    summary="A step of the Dockerfile installs round the contract's constraints",
    needs=Needs.PLAN,
    applies=lambda contract: bool(contract.pins or contract.constraints.files),
    judge=judge,
    inheritable=False,
)

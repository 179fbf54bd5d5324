"""IC704: a requirement that an install step asks for cannot be met under the contract's constraints."""

from __future__ import annotations

from packaging.specifiers import SpecifierSet

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract, specifier_set
from imgcheck.diagnosis.versions import compatible
from imgcheck.facts.model import Facts
from imgcheck.facts.plan import Attempt, Install, PlanFacts, Wanted
from imgcheck.outcome import Cause, Fault, Judgement, Location


def judge(contract: Contract, facts: Facts) -> Judgement:
    plan = facts.plan or PlanFacts(dockerfile="")
    held = [one for one in plan.installs if one.tool in ("pip", "uv pip") and one.on_base and not one.bypass]
    asked = [(install, one) for install in held for one in install.wanted if one.applies]
    contradictions = [fault for install, one in asked if (fault := _contradiction(contract, install, one))]
    failed = [_failed(contract, one) for one in plan.attempts if one.message]
    return Judgement(
        examined=plan.instructions,
        unit="instructions",
        faults=(*contradictions, *failed),
        passed_over=() if plan.attempts or not asked else (("not resolved here: the build resolves them", len(asked)),),
    )


def _contradiction(contract: Contract, install: Install, wanted: Wanted) -> Fault | None:
    """A requirement and a pin that no version meets both of: no resolver is needed to tell."""
    pin = contract.pins.get(wanted.name)
    if pin is None or not wanted.specifier or compatible(specifier_set(pin), SpecifierSet(wanted.specifier)):
        return None
    return Fault(
        subject=f"{wanted.name}{wanted.specifier}",
        summary=f"{wanted.place} asks for {wanted.text}, and the contract pins {wanted.name} {pin}",
        expected=pin,
        actual=wanted.text,
        remedy=f"Ask for what {wanted.name} {pin} meets; or change the base.",
        location=contract.where("pins", wanted.name),
        cause=Cause(
            step=install.command,
            step_location=Location(file=install.place.file, line=install.place.line),
            requirement=wanted.text,
            location=Location(file=wanted.place.file, line=wanted.place.line),
            how="the two are written down",
        ),
    )


def _failed(contract: Contract, attempt: Attempt) -> Fault:
    return Fault(
        subject=attempt.subject,
        summary=f"{attempt.place}: {attempt.message}",
        actual=attempt.message,
        remedy=attempt.ways,
        location=contract.where("pins"),
        cause=Cause(
            step_location=Location(file=attempt.place.file, line=attempt.place.line),
            how="it was resolved in the base, under the constraints",
        ),
        evidence=attempt.log,
        identity=attempt.message,
        unverified=attempt.unverified,
    )


CHECK = Check(
    code="IC704",
    name="unresolvable-requirement",
    summary="A requirement cannot be met under the contract's constraints",
    needs=Needs.PLAN,
    applies=lambda contract: bool(contract.pins or contract.constraints.files),
    judge=judge,
    inheritable=False,
)

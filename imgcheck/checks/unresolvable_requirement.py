"""IC704: a requirement that an install step asks for cannot be met under the contract's constraints."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.specifiers import SpecifierSet

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract, specifier_set
from imgcheck.diagnosis.versions import compatible
from imgcheck.facts.model import Facts
from imgcheck.facts.plan import Attempt, Install, Place, PlanFacts, Wanted
from imgcheck.outcome import Cause, Fault, Judgement, Location


def judge(contract: Contract, facts: Facts) -> Judgement:
    plan = facts.plan or PlanFacts(dockerfile="")
    held = [one for one in plan.installs if one.tool in ("pip", "uv pip") and one.on_base and not one.bypass]
    asked = [(install, one) for install in held for one in install.wanted if one.applies]
    resolved = {(one.place, one.pin) for one in plan.attempts if one.pin}
    contradictions = [
        fault
        for install, one in asked
        if (install.place, one.name) not in resolved and (fault := _contradiction(contract, install, one))
    ]
    failed = [_failed(contract, plan, one) for one in plan.attempts if one.message]
    return Judgement(
        examined=plan.instructions,
        unit="instructions",
        faults=(*contradictions, *failed),
        passed_over=tuple(_passed_over(plan, len(asked))),
    )


def _passed_over(plan: PlanFacts, asked: int) -> Iterator[tuple[str, int]]:
    if asked and not plan.attempts:
        yield "not resolved here: the build resolves them", asked
    known = sum(bool(one.known_since) for one in plan.attempts)
    if known:
        yield "installs whose solution an earlier run found: not resolved again", known
    left_out = sum(len(one.left_out) for one in plan.attempts)
    if left_out:
        yield "left out of the resolution: paths, and files that only the build has", left_out


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
            step_location=_location(install.place),
            requirement=wanted.text,
            location=_location(wanted.place),
            how="the two are written down",
        ),
    )


def _failed(contract: Contract, plan: PlanFacts, attempt: Attempt) -> Fault:
    if attempt.unverified:
        summary = f"Whether {attempt.place} can be resolved could not be told: {attempt.message}"
    else:
        summary = attempt.message if attempt.asked_at else f"{attempt.place}: {attempt.message}"
    command = next((one.command for one in plan.installs if one.place == attempt.place), "")
    return Fault(
        subject=attempt.subject,
        summary=summary,
        expected=contract.pins.get(attempt.pin, ""),
        actual=attempt.requirement or attempt.message,
        remedy="; ".join(attempt.ways),
        location=contract.where("pins", attempt.pin) if attempt.pin else None,
        cause=Cause(
            step=command,
            step_location=_location(attempt.place),
            requirement=attempt.requirement,
            location=_location(attempt.asked_at) if attempt.asked_at else None,
            how="" if attempt.unverified else "it was resolved in the base, under the constraints",
        ),
        evidence=attempt.log,
        identity=attempt.message,
        unverified=attempt.unverified,
    )


def _location(place: Place) -> Location:
    return Location(file=place.file, line=place.line)


CHECK = Check(
    code="IC704",
    name="unresolvable-requirement",
    summary="A requirement cannot be met under the contract's constraints",
    needs=Needs.PLAN,
    applies=lambda contract: bool(contract.pins or contract.constraints.files),
    judge=judge,
    inheritable=False,
)

"""IC104: an installed distribution requires what is not installed, or not at a version it accepts."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract, Requires
from imgcheck.diagnosis.asked_extras import asked_extras
from imgcheck.diagnosis.consistency import address_note, is_allowed, unknown_extras
from imgcheck.diagnosis.requirements import Need, label, meets, needs_of, winners
from imgcheck.facts.model import Distribution, Facts
from imgcheck.outcome import Cause, Fault, Judgement


def judge(contract: Contract, facts: Facts) -> Judgement:
    allow = contract.requires.allow if isinstance(contract.requires, Requires) else ()
    installed = winners(facts.inventory)
    needs = [need for need in needs_of(facts.inventory) if need.applies or need.problem]
    told = [need for need in needs if not is_allowed(need, allow)]
    faults = [fault for need in told for fault in _faults(need, facts.inventory.find(need.name) if need.name else None)]
    unreadable = [one for one in installed if one.problem]
    return Judgement(
        examined=len(installed) - len(unreadable),
        unit="distributions",
        faults=(*faults, *map(_unreadable, unreadable), *asked_extras(facts)),
        passed_over=(("requirements allowed to be unmet", len(needs) - len(told)),) if len(told) < len(needs) else (),
    )


def _faults(need: Need, installed: Distribution | None) -> list[Fault]:
    if need.problem:
        return [_unverified(need, f"it cannot be read: {need.problem}")]
    if installed is None:
        return [_unmet(need, "not installed", f"Install {need.bare}, or remove {need.owner.name}.")]
    met = meets(need, installed)
    if met is None:
        return [_unverified(need, f"the installed version {installed.version!r} is no version (PEP 440)")]
    if met:
        return [*unknown_extras(need, installed), *address_note(need, installed)]
    remedy = f"Install {need.bare}, or a version of {need.owner.name} that accepts {label(installed)}."
    return [_unmet(need, installed.version, remedy)]


def _unmet(need: Need, actual: str, remedy: str) -> Fault:
    verb = "is not installed" if actual == "not installed" else f"is at {actual}"
    return Fault(
        subject=f"{need.owner.canonical_name} -> {need.name}",
        summary=f"{need.sentence}, and {need.name} {verb}",
        expected=need.bare,
        actual=actual,
        remedy=remedy,
        cause=Cause(requirement=need.sentence),
        blame=(need.owner.canonical_name, need.name),
    )


def _unverified(need: Need, why: str) -> Fault:
    name = need.name or need.text
    return Fault(
        subject=f"{need.owner.canonical_name} -> {name}",
        summary=f"Whether {label(need.owner)}'s requirement {need.text!r} is met cannot be told: {why}",
        expected=need.text,
        actual=why,
        remedy="Compare it by hand, or install a release with valid metadata (PEP 508, PEP 440).",
        unverified=True,
    )


def _unreadable(distribution: Distribution) -> Fault:
    return Fault(
        subject=distribution.canonical_name,
        summary=f"What {label(distribution)} requires cannot be told: {distribution.problem}",
        actual=distribution.problem,
        remedy=f"Reinstall {distribution.name}: {distribution.metadata_path} is damaged.",
        unverified=True,
    )


CHECK = Check(
    code="IC104",
    name="unmet-requirement",
    summary="An installed distribution requires what is not there",
    needs=Needs.INVENTORY,
    applies=lambda contract: bool(contract.requires),
    judge=judge,
)

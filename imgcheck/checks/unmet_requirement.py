"""IC104: an installed distribution requires what is not installed, or not at a version it accepts.

One fault a cause: whoever requires the same otherwise is listed in it.
"""

from __future__ import annotations

from collections.abc import Iterator

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract, Requires
from imgcheck.diagnosis.asked_extras import asked_extras
from imgcheck.diagnosis.consistency import address_note, is_allowed, unknown_extras
from imgcheck.diagnosis.requirements import Need, label, meets, needs_of, winners
from imgcheck.diagnosis.unmet import fault_of, unmet_of
from imgcheck.facts.model import Distribution, Facts
from imgcheck.outcome import Fault, Judgement


def judge(contract: Contract, facts: Facts) -> Judgement:
    allow = contract.requires.allow if isinstance(contract.requires, Requires) else ()
    installed = winners(facts.inventory)
    every = needs_of(facts.inventory)
    needs = [need for need in every if need.applies or need.problem]
    told = [need for need in needs if not is_allowed(need, allow)]
    unmet = [need for need in told if _is_unmet(need, facts)]
    groups = [fault_of(one) for one in unmet_of(unmet, every, facts, contract.pins)]
    asides = [fault for need in told for fault in _asides(need, facts)]
    unreadable = [one for one in installed if one.problem]
    return Judgement(
        examined=len(installed) - len(unreadable),
        unit="distributions",
        faults=(*groups, *asides, *map(_unreadable, unreadable), *asked_extras(facts)),
        passed_over=(("requirements allowed to be unmet", len(needs) - len(told)),) if len(told) < len(needs) else (),
    )


def _is_unmet(need: Need, facts: Facts) -> bool:
    if need.problem:
        return False
    installed = facts.inventory.find(need.name)
    return installed is None or meets(need, installed) is False


def _asides(need: Need, facts: Facts) -> Iterator[Fault]:
    """What cannot be told, and what a met requirement leaves to be said."""
    if need.problem:
        yield _unverified(need, f"it cannot be read: {need.problem}")
        return
    installed = facts.inventory.find(need.name)
    met = meets(need, installed) if installed else False
    if installed and met is None:
        yield _unverified(need, f"the installed version {installed.version!r} is no version (PEP 440)")
    elif installed and met:
        yield from unknown_extras(need, installed)
        yield from address_note(need, installed)


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

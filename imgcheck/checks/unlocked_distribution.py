"""IC701: something is installed beside the base's own that no lock names, or at another version than the lock says."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.requirements import label, winners
from imgcheck.diagnosis.versions import parse_version
from imgcheck.facts.model import Distribution, Facts
from imgcheck.facts.rebuild import Locked
from imgcheck.outcome import Fault, Judgement, Location


def judge(contract: Contract, facts: Facts) -> Judgement:
    installed = winners(facts.inventory)
    base = {one.canonical_name: one.version for one in facts.base.distributions} if facts.base else {}
    added = [one for one in installed if base.get(one.canonical_name) != one.version]
    locked = {one.name: one for one in facts.locked or ()}
    faults = [_fault(contract, one, locked.get(one.canonical_name)) for one in added]
    return Judgement(
        examined=len(installed), unit="distributions", faults=tuple(fault for fault in faults if fault is not None)
    )


def _fault(contract: Contract, one: Distribution, entry: Locked | None) -> Fault | None:
    if entry is None:
        summary = f"{label(one)} is installed, and no lock names it"
        remedy = f"Ask for {one.name} in the requirements and lock again, or install without it."
        return _told(contract, one, summary, "in a lock, or the base's own", remedy, contract.where("locks"))
    if not entry.version or parse_version(entry.version) == parse_version(one.version):
        return None
    place = Location(file=entry.file, line=entry.line)
    summary = f"{label(one)} is installed, and the lock says {entry.version}"
    remedy = "Install from the lock, or lock again; a later step may have moved it."
    return _told(contract, one, summary, entry.version, remedy, place)


def _told(
    _contract: Contract, one: Distribution, summary: str, expected: str, remedy: str, place: Location | None
) -> Fault:
    return Fault(
        subject=one.canonical_name,
        summary=summary,
        expected=expected,
        actual=one.version,
        remedy=remedy,
        location=place,
        blame=(one.canonical_name,),
    )


CHECK = Check(
    code="IC701",
    name="unlocked-distribution",
    summary="Something is installed that no lock names, or at another version",
    needs=Needs.INVENTORY,
    applies=lambda contract: bool(contract.locks),
    judge=judge,
    inheritable=False,
)

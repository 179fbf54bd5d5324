"""`imgcheck lint`: what is odd in a contract though it can be read, each with its line. No engine is needed.

With facts that were saved it also tells what only an image can: waivers that match nothing, pins that nothing has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Final, Literal

from packaging.utils import canonicalize_name

from imgcheck.checks import CHECKS
from imgcheck.contract.loader import load_contract
from imgcheck.contract.model import Contract, specifier_set
from imgcheck.contract.near_miss import did_you_mean
from imgcheck.judging import Selection
from imgcheck.observed import Observed, read_observed
from imgcheck.outcome import FindingState, Location
from imgcheck.probes import builtin_names
from imgcheck.reporting import report_of
from imgcheck.selecting import CONTRACT_CHECKS, Named, names, near_miss
from imgcheck.there import is_file

SOON: Final = timedelta(days=30)
Level = Literal["error", "warning"]


@dataclass(frozen=True, kw_only=True)
class Remark:
    """One odd thing; an error would fail a run, or hides what it should show."""

    where: Location
    level: Level
    key: str
    text: str
    remedy: str = ""

    def __str__(self) -> str:
        way = f" → {self.remedy}" if self.remedy else ""
        return f"{self.where}: {self.level}: {self.key}: {self.text}{way}"


def lint(path: Path, facts: Path | None, today: date) -> tuple[Remark, ...]:
    """All remarks, in the order of lines.

    Raises:
        ContractError: the contract cannot be read at all; that has its lines, too.
        UsageError: the saved facts cannot be read.
    """
    contract = load_contract(path)
    found = [*_probes(contract), *_waivers(contract, today), *_pins(contract, path), *_files(contract)]
    if facts is not None and not any(one.level == "error" and one.key == "probes" for one in found):
        found += _against(contract, read_observed(facts))
    return tuple(sorted(found, key=lambda one: (one.where.file, one.where.line or 0, one.key, one.text)))


def _at(contract: Contract, *keys: str) -> Location:
    return contract.where(*keys) or Location(file=contract.path)


def _probes(contract: Contract) -> Iterator[Remark]:
    for number, probe in enumerate(contract.probes):
        if isinstance(probe, str) and probe not in builtin_names():
            text = f"there is no built-in probe {probe!r}{did_you_mean(probe, builtin_names())}"
            yield Remark(where=_at(contract, "probes", str(number)), level="error", key="probes", text=text)


def _waivers(contract: Contract, today: date) -> Iterator[Remark]:
    known: tuple[Named, ...] = (*CHECKS, *CONTRACT_CHECKS)
    asked = [one for one in CHECKS if one.applies(contract)]
    seen: set[tuple[str, str]] = set()
    for number, waiver in enumerate(contract.waivers):
        where = _at(contract, "waivers", str(number))
        what = f"the waiver of {waiver.check} for {waiver.subject}"
        meant = [one for one in known if names(waiver.check, one)]
        if not meant:
            text = f"{what} names no check"
            yield Remark(where=where, level="error", key="waivers", text=text, remedy=near_miss(waiver.check, known))
        elif not any(names(waiver.check, one) for one in asked):
            text = f"{what} is unused: the contract does not ask for that check"
            yield Remark(where=where, level="warning", key="waivers", text=text, remedy="remove it")
        if waiver.until < today:
            text, way = f"{what} ended on {waiver.until}", f"mend it, or have {waiver.owner} set a later date"
            yield Remark(where=where, level="error", key="waivers", text=text, remedy=way)
        elif waiver.until < today + SOON:
            days = (waiver.until - today).days
            text, way = f"{what} ends in {days} days, on {waiver.until}", f"ask {waiver.owner}"
            yield Remark(where=where, level="warning", key="waivers", text=text, remedy=way)
        if (waiver.check, waiver.subject) in seen:
            yield Remark(where=where, level="warning", key="waivers", text=f"{what} is there twice")
        seen.add((waiver.check, waiver.subject))


def _pins(contract: Contract, path: Path) -> Iterator[Remark]:
    """Pins that hold nothing, and pins that the extended contract has already."""
    above = load_contract(path.parent / contract.extends).pins if contract.extends else {}
    own = str(path)
    for name, pin in contract.pins.items():
        where = _at(contract, "pins", name)
        if not specifier_set(pin):
            yield Remark(where=where, level="warning", key="pins", text=f"{name} is pinned to any version")
        if where.file == own and above.get(name) == pin:
            text = f"{name} is pinned the same in {contract.extends}"
            yield Remark(where=where, level="warning", key="pins", text=text, remedy="remove it here")
    for name in contract.protect:
        if name not in contract.pins:
            text = f"{name} is protected and not pinned: another version would be no moved pin"
            yield Remark(where=_at(contract, "protect"), level="warning", key="protect", text=text, remedy="pin it")


def _files(contract: Contract) -> Iterator[Remark]:
    """Files beside the contract that it names, and that are not there."""
    named = [("locks", one) for one in contract.locks] + [("constraints", one) for one in contract.constraints.files]
    for key, one in named:
        where = _at(contract, key)
        if not is_file(Path(where.file).parent / one):
            yield Remark(where=where, level="error", key=key, text=f"there is no file {one!r} beside the contract")


def _against(contract: Contract, seen: Observed) -> Iterator[Remark]:
    """What an image tells of the contract."""
    installed = {one.canonical_name for one in seen.facts.inventory.distributions}
    base = seen.facts.base
    in_base = {one.canonical_name for one in base.distributions} if base else set()
    for name in contract.pins:
        if canonicalize_name(name) not in installed | in_base:
            text = f"{name} is in neither the image nor its base: nobody needs the pin"
            yield Remark(where=_at(contract, "pins", name), level="warning", key="pins", text=text, remedy="remove it")
    report = report_of(contract, seen, Selection(), strict=False, strict_base=False)
    for one in report.findings:
        if one.name == "unused-waiver" and one.state is FindingState.WARNED:
            where = one.fault.location or Location(file=contract.path)
            yield Remark(where=where, level="warning", key="waivers", text=one.fault.summary, remedy="remove it")

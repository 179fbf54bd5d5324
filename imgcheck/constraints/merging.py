"""The contract's pins and constraints files to one file that pip and uv read, and what contradicts what.

The contract wins over further files, those over the base's own; a line that contradicts a stronger one is left out
and told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from imgcheck.constraints.lines import ConstraintLine
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.versions import allows, compatible, parse_version
from imgcheck.facts.model import Distribution, Inventory
from imgcheck.outcome import Location


@dataclass(frozen=True, kw_only=True)
class Merged:
    """Constraints in force, by canonical name. `conflicts` are sentences."""

    lines: tuple[ConstraintLine, ...]
    conflicts: tuple[str, ...] = ()

    def text(self, contract: str) -> str:
        """The constraints file; its header names the contract."""
        title = contract.encode("unicode_escape").decode()
        header = (f"# Constraints of {title}, written by imgcheck. Use: pip install -c FILE, uv pip install -c FILE",)
        return "\n".join((*header, *(line.text for line in self.lines), ""))


def pin_lines(pins: Mapping[str, str], contract: Contract | None = None) -> tuple[ConstraintLine, ...]:
    """Pins as constraints: 4.25.3 -> ==4.25.3, a specifier as it is written."""
    return tuple(_pin_line(name, pin, contract) for name, pin in pins.items())


def merge(
    pins: Iterable[ConstraintLine],
    *,
    base: Iterable[ConstraintLine] = (),
    extra: Iterable[ConstraintLine] = (),
    environment: Mapping[str, str] | None = None,
) -> Merged:
    """All constraints as one.

    Args:
        pins: of the contract, by `pin_lines`.
        base: the base image's own constraints.
        extra: the further files that the contract names.
        environment: of the markers in the image; without it a contradiction under a marker is told as well.
    """
    kept: dict[str, list[ConstraintLine]] = {}
    conflicts: list[str] = []
    for line in (*pins, *extra, *base):
        same = kept.setdefault(line.name, [])
        against = next((one for one in same if _contradict(one, line, environment)), None)
        if against:
            conflicts.append(_contradiction(against, line))
        elif not any(_covers(one, line) for one in same):
            same.append(line)
    lines = (line for name in sorted(kept) for line in kept[name])
    return Merged(lines=tuple(lines), conflicts=tuple(conflicts))


def installed_conflicts(lines: Iterable[ConstraintLine], inventory: Inventory) -> tuple[str, ...]:
    """What an image's constraints say, and what is installed in it all the same."""
    found = (_installed_conflict(line, inventory) for line in lines if line.holds(inventory.interpreter.markers))
    return tuple(sentence for sentence in found if sentence)


def further_files(contract: Contract) -> tuple[Path, ...]:
    """The files that `constraints.files` names, each beside the contract file that names it."""
    return tuple(
        Path(_written_in(contract, number)).parent / name for number, name in enumerate(contract.constraints.files)
    )


def lock_files(contract: Contract) -> tuple[Path, ...]:
    """The files that `locks` names, each beside the contract file that names it."""
    places = [contract.where("locks", str(number)) for number in range(len(contract.locks))]
    return tuple(
        Path(place.file if place else contract.path).parent / name
        for place, name in zip(places, contract.locks, strict=True)
    )


def _written_in(contract: Contract, number: int) -> str:
    where = contract.where("constraints", "files", str(number))
    return where.file if where else contract.path


def _pin_line(name: str, pin: str, contract: Contract | None) -> ConstraintLine:
    clauses = ["".join(clause.split()) for clause in pin.split(",")]
    written = f"=={pin.strip()}" if parse_version(pin) else ",".join(filter(None, clauses))
    requirement = Requirement(name)
    requirement.specifier = SpecifierSet(written)
    where = contract.where("pins", name) if contract else None
    return ConstraintLine(requirement=requirement, written=written, where=where or Location(file="the contract"))


def _contradict(one: ConstraintLine, other: ConstraintLine, environment: Mapping[str, str] | None) -> bool:
    """No version satisfies both, where both hold."""
    if environment is not None and not (one.holds(environment) and other.holds(environment)):
        return False
    if one.requirement.url or other.requirement.url:
        return one.requirement.url != other.requirement.url and bool(one.requirement.url and other.requirement.url)
    return not compatible(_specifier(one), _specifier(other))


def _covers(one: ConstraintLine, other: ConstraintLine) -> bool:
    """`other` adds nothing to `one`."""
    if one.text == other.text:
        return True
    if one.requirement.marker or one.requirement.url or other.requirement.url:
        return False
    exact = _exact_version(one)
    return exact is not None and _specifier(other).contains(exact, prereleases=True)


def _exact_version(line: ConstraintLine) -> str | None:
    clauses = list(line.requirement.specifier)
    if len(clauses) == 1 and clauses[0].operator == "==" and parse_version(clauses[0].version):
        return clauses[0].version
    return None


def _specifier(line: ConstraintLine) -> SpecifierSet:
    return line.requirement.specifier


def _contradiction(stronger: ConstraintLine, line: ConstraintLine) -> str:
    return f"{line.where} says {line.text}, and {stronger.where} says {stronger.text}; the second is in force"


def _installed_conflict(line: ConstraintLine, inventory: Inventory) -> str:
    installed = inventory.find(line.name)
    if installed is None:
        return ""
    if line.requirement.url:
        from_there = line.requirement.url in installed.direct_url
        return "" if from_there else _sentence(line, installed, "is installed, from elsewhere")
    version = parse_version(installed.version)
    if version is None:
        return _sentence(line, installed, "is installed, which cannot be compared")
    return "" if allows(_specifier(line), version) else _sentence(line, installed, "is installed")


def _sentence(line: ConstraintLine, installed: Distribution, what: str) -> str:
    return f"{line.where} says {line.text}, and {installed.name} {installed.version} {what}"

"""Unmet requirements by their cause: one distribution that moved or is missing, and all who require it otherwise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet

from imgcheck.diagnosis.pins import Move, forcing_needs
from imgcheck.diagnosis.requirements import Need, label
from imgcheck.diagnosis.versions import parse_version
from imgcheck.facts.model import Distribution, Facts, Inventory
from imgcheck.outcome import Cause, Fault


@dataclass(frozen=True, kw_only=True)
class Unmet:
    """What is not there as it is required.

    Args:
        name: canonical.
        installed: what is there; None where nothing is.
        before: what the base has; None where it has nothing, or is not known.
        needs: who requires it otherwise.
        movers: requirements that the version there meets, and that exclude what `needs` accept.
    """

    name: str
    installed: Distribution | None
    before: Distribution | None
    needs: tuple[Need, ...]
    movers: tuple[Need, ...] = ()


def unmet_of(unmet: Iterable[Need], needs: tuple[Need, ...], facts: Facts, pinned: Container[str]) -> Iterator[Unmet]:
    """Unmet requirements grouped by what they require; those that the base has just so are groups of their own.

    Args:
        unmet: requirements that what is installed does not meet.
        needs: all requirements, the met ones included.
        facts: of the image; its base's inventory, where there is one.
        pinned: what the contract pins: others are suspected first.
    """
    groups: defaultdict[tuple[str, bool], list[Need]] = defaultdict(list)
    for need in unmet:
        groups[need.name, _in_base(need, facts)].append(need)
    for (name, _), group in groups.items():
        installed = facts.inventory.find(name)
        yield Unmet(
            name=name,
            installed=installed,
            before=facts.base.find(name) if facts.base else None,
            needs=tuple(sorted(group, key=lambda need: need.owner.canonical_name)),
            movers=_movers(installed, group, needs, pinned),
        )


def _in_base(need: Need, facts: Facts) -> bool:
    """Whether the base has the same owner and the same unmet version."""
    if facts.base is None:
        return False
    return all(_version(facts.base, name) == _version(facts.inventory, name) for name in (need.owner.name, need.name))


def _version(inventory: Inventory, name: str) -> str:
    found = inventory.find(name)
    return found.version if found else ""


def _movers(
    installed: Distribution | None, unmet: list[Need], needs: tuple[Need, ...], pinned: Container[str]
) -> tuple[Need, ...]:
    version = parse_version(installed.version) if installed else None
    if installed is None or version is None:
        return ()
    specifiers = {str(need.requirement.specifier) for need in unmet if need.requirement}
    moves = (Move(name=installed.canonical_name, pin=SpecifierSet(one), version=version) for one in sorted(specifiers))
    return tuple({need.sentence: need for move in moves for need in forcing_needs(move, needs, pinned)}.values())


def fault_of(unmet: Unmet) -> Fault:
    """One fault, however many require it."""
    actual = unmet.installed.version if unmet.installed else "not installed"
    subjects = [f"{need.owner.canonical_name} -> {need.name}" for need in unmet.needs]
    return Fault(
        subject=subjects[0],
        summary=_summary(unmet),
        expected=", ".join(dict.fromkeys(need.bare for need in unmet.needs)),
        actual=actual,
        baseline=unmet.before.version if unmet.before else "",
        remedy=_remedy(unmet),
        cause=Cause(requirement=_forced_by(unmet)),
        details=tuple(subjects[1:]),
        evidence=_evidence(unmet),
        blame=_blamed(unmet),
    )


def _summary(unmet: Unmet) -> str:
    verb = f"is at {unmet.installed.version}" if unmet.installed else "is not installed"
    first = unmet.needs[0]
    if len(unmet.needs) == 1:
        return f"{first.sentence}, and {unmet.name} {verb}"
    others = f"{len(unmet.needs) - 1} more require it otherwise"
    return f"{unmet.name} {verb}: {first.sentence}, and {others}"


def _forced_by(unmet: Unmet) -> str:
    """The requirement that moved it; where nothing installed asks for that, and it did move, whoever named it did."""
    if unmet.movers:
        return unmet.movers[0].sentence
    return "" if _moved(unmet) else unmet.needs[0].sentence


def _moved(unmet: Unmet) -> bool:
    """Whether it changed since the base, so that its own installation or removal is to blame."""
    if unmet.before is None:
        return False
    return unmet.installed is None or unmet.before.version != unmet.installed.version


def _blamed(unmet: Unmet) -> tuple[str, ...]:
    if unmet.movers or _moved(unmet):
        return (unmet.name,)
    owners = tuple(dict.fromkeys(need.owner.canonical_name for need in unmet.needs))
    return owners if unmet.before is not None else (*owners, unmet.name)


def _remedy(unmet: Unmet) -> str:
    first = unmet.needs[0]
    if unmet.movers:
        owner = unmet.movers[0].owner
        wanted = f"the base's {label(unmet.before)}" if unmet.before and _moved(unmet) else first.bare
        return f"Choose a version of {owner.name} that accepts {wanted}, or install without {label(owner)}."
    if unmet.installed is None:
        who = first.owner.name if len(unmet.needs) == 1 else "what requires it"
        return f"Install {first.bare}, or remove {who}."
    who = f"a version of {first.owner.name}" if len(unmet.needs) == 1 else "versions of what requires it"
    accepts = "accepts" if len(unmet.needs) == 1 else "accept"
    return f"Install {first.bare}, or {who} that {accepts} {label(unmet.installed)}."


def _evidence(unmet: Unmet) -> str:
    version = unmet.installed.version if unmet.installed else ""
    lines = [f"{need.sentence}: {version} meets it, and nothing that the others accept does" for need in unmet.movers]
    if len(unmet.needs) > 1 or unmet.movers:
        lines += [f"{need.sentence}: {f'{version} does not meet it' if version else 'missing'}" for need in unmet.needs]
    return "\n".join(lines)

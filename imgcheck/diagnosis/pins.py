"""Who moved a pin: the installed requirement that the version there satisfies and the pinned one could not."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from imgcheck.diagnosis.requirements import Need
from imgcheck.diagnosis.versions import allows, compatible


@dataclass(frozen=True, kw_only=True)
class Move:
    """A pinned distribution at a version outside its pin."""

    name: str
    pin: SpecifierSet
    version: Version


def forcing_needs(move: Move, needs: tuple[Need, ...], pinned: Container[str]) -> tuple[Need, ...]:
    """Those that forced it. What was added to the base goes before what the contract itself pins."""
    found = [need for need in _on(move, needs) if _forces(move, need)]
    return tuple(sorted(found, key=lambda need: (need.owner.canonical_name in pinned, need.owner.canonical_name)))


def broken_dependants(move: Move, needs: tuple[Need, ...]) -> tuple[Need, ...]:
    """Those that the version there does not meet."""
    return tuple(need for need in _on(move, needs) if not _accepts(need, move.version))


def _on(move: Move, needs: tuple[Need, ...]) -> list[Need]:
    return [need for need in needs if need.applies and need.name == move.name]


def _forces(move: Move, need: Need) -> bool:
    wanted = need.requirement
    return wanted is not None and _accepts(need, move.version) and not compatible(move.pin, wanted.specifier)


def _accepts(need: Need, version: Version) -> bool:
    return need.requirement is None or allows(need.requirement.specifier, version)

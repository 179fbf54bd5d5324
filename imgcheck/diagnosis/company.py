"""Which modules one process imports together: what the contract names, or what was asked for by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from packaging.utils import canonicalize_name

from imgcheck.contract.model import Contract, Imports
from imgcheck.diagnosis.naming import resembles
from imgcheck.diagnosis.requirements import needs_of, winners
from imgcheck.diagnosis.sweep import matches
from imgcheck.facts.model import Distribution, ImportFacts, Inventory

MOST: Final = 40
_FRONT_KINDS: Final = frozenset({"package", "source", "extension"})


@dataclass(frozen=True, kw_only=True)
class Company:
    """Modules in the order of their import, and how many were left out because they would be too many."""

    names: tuple[str, ...]
    left_out: int = 0


def company_of(contract: Contract, inventory: Inventory, imports: ImportFacts | None) -> Company:
    options = contract.import_options or Imports()
    if options.together is not None:
        return Company(names=tuple(dict.fromkeys(options.together)))
    failing = {one.module for one in imports.modules if one.status != "ok"} if imports else set()
    fronts = {
        one.canonical_name: front
        for one in _asked_for(inventory)
        if (front := front_module(one)) and front not in failing and not matches(front, options.exclude)
    }
    names = tuple(dict.fromkeys(fronts.values()))
    return Company(names=tuple(sorted(names[:MOST], key=str.lower)), left_out=max(0, len(names) - MOST))


def front_module(distribution: Distribution) -> str:
    """The module by which a distribution is used: near the top, named like it, and public."""
    fronts = [
        name
        for name, kind, group in distribution.modules
        if kind in _FRONT_KINDS and group == "module" and name.count(".") < 2
    ]
    named = {name: resembles(distribution.canonical_name, name) for name in fronts}
    own = distribution.canonical_name.replace("-", "_")
    order = {one: (one.count("."), one.lower() != own, not named[one], one.startswith("_")) for one in fronts}
    return min(fronts, key=lambda one: (order[one], one), default="")


def _asked_for(inventory: Inventory) -> list[Distribution]:
    """What a user asked an installer for (PEP 376's REQUESTED); where none is marked, all.

    Those that nobody requires come first, then those with compiled modules: what is loaded below Python falls out most.
    """
    installed = [one for one in winners(inventory) if not _builds(one)]
    required = {need.name for need in needs_of(inventory) if need.applies}
    asked = [one for one in installed if one.requested] or list(installed)
    return sorted(
        asked,
        key=lambda one: (one.canonical_name in required, not _is_compiled(one), canonicalize_name(one.name)),
    )


def _builds(distribution: Distribution) -> bool:
    """Whether it is a build's tool, with commands for distutils (setuptools' entry points): jobs do not import it.

    setuptools replaces the standard library's distutils, and refuses to where pip was imported before it.
    """
    return any(one.group == "distutils.commands" for one in distribution.entry_points)


def _is_compiled(distribution: Distribution) -> bool:
    return any(kind == "extension" for _, kind, _ in distribution.modules)

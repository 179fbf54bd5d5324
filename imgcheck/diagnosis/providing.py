"""Import statements that nothing installed provides: who promised the name, and what it means that it is not there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from packaging.utils import canonicalize_name

from imgcheck.diagnosis.known_modules import FOREIGN_MODULES, LEFT_OUT_STDLIB, PYTHON_2_MODULES, REMOVED_MODULES
from imgcheck.diagnosis.missing_module import for_another_platform
from imgcheck.diagnosis.requirements import Need
from imgcheck.diagnosis.world import World, likely_distributions, spellings
from imgcheck.facts.model import Distribution, Facts
from imgcheck.facts.statements import Site, UnprovidedImport

_JUDGED_GROUPS: Final = frozenset({"module", "main"})
# Names of another platform or Python, and of what slim images go without.
_OTHERS: Final = frozenset({*FOREIGN_MODULES, *PYTHON_2_MODULES, *REMOVED_MODULES, *LEFT_OUT_STDLIB})


class Standing(str, Enum):
    """What a name that nothing provides is to the distribution that imports it. The value is said in reports."""

    BROKEN_PROMISE = "required, installed, and not in what is installed"
    OTHER_PROJECT = "a distribution of that name is installed, and does not provide it"
    OWN_CODE = "code installed from a folder imports it, and nothing declares it"
    NOT_INSTALLED = "required and not installed: see unmet-requirement"
    EMPTY = "required, and the installed distribution holds no module: see empty-distribution"
    EXTRA = "of an optional extra that is not installed"
    UNDECLARED = "that no installed distribution requires"
    ELSEWHERE = "for another platform or Python"
    IMPORTED = "of modules that could be imported all the same"
    ASIDE = "in tests and vendored copies"


BROKEN: Final = frozenset({Standing.BROKEN_PROMISE})
NOTED: Final = frozenset({Standing.OTHER_PROJECT, Standing.OWN_CODE})
BROKEN_IF_STRICT: Final = frozenset({Standing.EXTRA, Standing.UNDECLARED, *NOTED})


@dataclass(frozen=True, kw_only=True)
class Lack:
    """A name that one distribution imports and nothing provides.

    Args:
        sites: where it is imported, without modules that could be imported all the same.
        need: the requirement that promises the name.
        stand_in: the installed distribution that should provide it, by its name.
    """

    statement: UnprovidedImport
    asker: str
    standing: Standing
    sites: tuple[Site, ...]
    need: Need | None = None
    stand_in: Distribution | None = None


def lacks_of(facts: Facts, world: World) -> Iterator[Lack]:
    """One for each statement that was told."""
    imported = {one.module for one in facts.imports.modules if one.status == "ok"} if facts.imports else set()
    for statement in facts.statements.unprovided if facts.statements else ():
        sites = tuple(site for site in statement.sites if site.module not in imported)
        yield _lack(world, statement, sites)


def _lack(world: World, statement: UnprovidedImport, sites: tuple[Site, ...]) -> Lack:
    asker = canonicalize_name(statement.distribution)
    standing = _apart(statement, sites)
    need, stand_in = None, None
    if standing is None:
        standing, need, stand_in = _promised(world, asker, statement.name)
    return Lack(
        statement=statement,
        asker=asker,
        standing=standing,
        sites=sites or statement.sites,
        need=need,
        stand_in=stand_in,
    )


def _apart(statement: UnprovidedImport, sites: tuple[Site, ...]) -> Standing | None:
    """What is settled whoever promises the name."""
    if statement.group not in _JUDGED_GROUPS:
        return Standing.ASIDE
    if not sites:
        return Standing.IMPORTED
    if statement.name in _OTHERS or all(for_another_platform(site.module) for site in sites):
        return Standing.ELSEWHERE
    return None


def _promised(world: World, asker: str, name: str) -> tuple[Standing, Need | None, Distribution | None]:
    needs = [need for need in world.needs.get(asker, ()) if need.name in spellings(name)]
    need = next((need for need in needs if need.applies), None)
    if need:
        found = world.installed.get(need.name)
        if found is None:
            return Standing.NOT_INSTALLED, need, None
        return (Standing.BROKEN_PROMISE if found.modules else Standing.EMPTY), need, found
    stand_in = next((one for one in likely_distributions(name) if one in world.installed), None)
    if stand_in:
        return Standing.OTHER_PROJECT, None, world.installed[stand_in]
    if needs:
        return Standing.EXTRA, needs[0], None
    own = asker in world.installed and is_own_code(world.installed[asker])
    return (Standing.OWN_CODE if own else Standing.UNDECLARED), None, None


def is_own_code(distribution: Distribution) -> bool:
    """Installed from a folder (PEP 610's dir_info): nobody has published it, nobody tries it without its extras."""
    try:
        recorded = json.loads(distribution.direct_url)
    except ValueError:
        return False
    return isinstance(recorded, dict) and isinstance(recorded.get("dir_info"), dict)

"""What an image holds, indexed once for all failed imports: owners, requirements, labels."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from packaging.utils import canonicalize_name

from imgcheck.diagnosis.known_modules import PROVIDERS
from imgcheck.diagnosis.ownership import PYTHON, Owners, owners_of
from imgcheck.diagnosis.requirements import Need, label, names_version, needs_of, winners
from imgcheck.facts.model import Distribution, Facts


@dataclass(frozen=True, kw_only=True)
class World:
    installed: Mapping[str, Distribution]
    owners: Owners
    needs: Mapping[str, tuple[Need, ...]]
    python: str
    duplicated: frozenset[str]
    """Distributions whose metadata is there more than once."""

    def label(self, name: str) -> str:
        """As "protobuf 6.30.0" or "Python 3.11.7"; the bare name of what is not installed."""
        if name == PYTHON:
            return f"Python {self.python}"
        return label(self.installed[name]) if name in self.installed else name

    def is_meant_for_this_python(self, name: str) -> bool:
        """Its wheel was built for this Python's minor version, or its metadata names it among those it is for.

        By the Python tag of WHEEL (PEP 425) and the classifier "Programming Language :: Python :: 3.x".
        """
        one = self.installed.get(name)
        if one is None:
            return False
        major, minor = python_minor(self.python)
        tags = {tag.partition("-")[0] for tag in one.wheel_tags if "-abi3-" not in tag}
        return f"cp{major}{minor}" in tags or f"{major}.{minor}" in one.python_classifiers

    def were_made_together(self, one: str, other: str) -> bool:
        """One of two distributions requires the other by the very version that is installed (see names_version)."""
        return any(
            names_version(need, self.installed[wanted])
            for asker, wanted in ((one, other), (other, one))
            for need in self.needs.get(asker, ())
            if need.name == wanted and need.applies and wanted in self.installed
        )

    def need(self, asker: str, wanted: str) -> Need | None:
        """What a distribution's metadata says of another; a line that applies goes before one that doesn't."""
        found = [need for need in self.needs.get(asker, ()) if need.name == wanted]
        return next((need for need in found if need.applies), found[0] if found else None)


def python_minor(version: str) -> tuple[int, int]:
    """(3, 11) of "3.11.7"; (3, 0) of what is no version."""
    numbers = [int(part) for part in re.findall(r"\d+", version)[:2]]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (3, 0)


def world_of(facts: Facts) -> World:
    needs: defaultdict[str, list[Need]] = defaultdict(list)
    for need in needs_of(facts.inventory):
        needs[need.owner.canonical_name].append(need)
    counts = Counter(one.canonical_name for one in facts.inventory.distributions)
    return World(
        installed={one.canonical_name: one for one in winners(facts.inventory)},
        owners=owners_of(facts),
        needs={name: tuple(lines) for name, lines in needs.items()},
        python=facts.inventory.interpreter.version,
        duplicated=frozenset(name for name, count in counts.items() if count > 1),
    )


def likely_distributions(module: str) -> tuple[str, ...]:
    """Names under which a module may be published: a.b.c, a.b, a, by the known table and by spelling."""
    parts = module.split(".")
    prefixes = [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
    known = [PROVIDERS[prefix] for prefix in prefixes if prefix in PROVIDERS]
    return tuple(dict.fromkeys([*known, *map(canonicalize_name, prefixes)]))


def spellings(module: str) -> frozenset[str]:
    """Looser than `likely_distributions`: only to be compared with what a distribution itself names."""
    plain = likely_distributions(module)
    affixes = ("py{}", "py-{}", "python-{}", "{}-python", "{}-py")
    return frozenset(plain) | {affix.format(name) for affix in affixes for name in plain}

"""Requires-Dist of everything installed, with markers judged for the image's own interpreter and extras followed.

An extra is in use when an installed distribution asks for it. What the user once asked pip for is not recorded.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion

from imgcheck.diagnosis.versions import allows, parse_version
from imgcheck.facts.model import Distribution, Inventory

_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")


@dataclass(frozen=True, kw_only=True)
class Need:
    """One requirement of an installed distribution.

    Args:
        owner: the distribution whose metadata says so.
        text: the line as written.
        requirement: the line as read; None where it cannot be, and `problem` says why.
        applies: it holds in this image: its marker is true, with no extra or with one in use.
        extras: the extras any of which would make it hold.
    """

    owner: Distribution
    text: str
    requirement: Requirement | None
    applies: bool = False
    extras: tuple[str, ...] = ()
    problem: str = ""

    @property
    def name(self) -> str:
        return canonicalize_name(self.requirement.name) if self.requirement else ""

    @property
    def bare(self) -> str:
        """The requirement without its marker: "protobuf<5,>=3.19"."""
        if not self.requirement:
            return self.text
        extras = f"[{','.join(sorted(self.requirement.extras))}]" if self.requirement.extras else ""
        address = f" @ {self.requirement.url}" if self.requirement.url else ""
        return f"{self.requirement.name}{extras}{self.requirement.specifier}{address}"

    @property
    def sentence(self) -> str:
        return f"{label(self.owner)} requires {self.bare}"


def label(distribution: Distribution) -> str:
    return f"{distribution.name} {distribution.version}".strip()


def winners(inventory: Inventory) -> tuple[Distribution, ...]:
    """One distribution a name: the first on sys.path, which is the one that counts."""
    first: dict[str, Distribution] = {}
    for distribution in inventory.distributions:
        first.setdefault(distribution.canonical_name, distribution)
    return tuple(first.values())


def needs_of(inventory: Inventory) -> tuple[Need, ...]:
    """Every requirement of every distribution that counts."""
    installed = winners(inventory)
    parsed = {one.canonical_name: tuple(_parse(one, text) for text in one.requires_dist) for one in installed}
    in_use = _extras_in_use(parsed, inventory.interpreter.markers)
    markers = inventory.interpreter.markers
    return tuple(_settle(need, in_use[name], markers) for name, needs in parsed.items() for need in needs)


def meets(need: Need, installed: Distribution) -> bool | None:
    """Whether a distribution satisfies a requirement; None where its version cannot be compared."""
    if not need.requirement or need.requirement.url or not need.requirement.specifier:
        return True
    version = parse_version(installed.version)
    try:
        return allows(need.requirement.specifier, version) if version else None
    except InvalidVersion:
        return None


def names_version(need: Need, installed: Distribution) -> bool:
    """Whether a requirement allows this very version by its name, as ==1.2 or <=1.2: its writer knew it."""
    specifiers = need.requirement.specifier if need.requirement else ()
    version = parse_version(installed.version)
    known = {parse_version(one.version) for one in specifiers if one.operator in ("==", "===", "<=")}
    return version is not None and version in known and meets(need, installed) is True


def provided_extras(distribution: Distribution) -> frozenset[str]:
    """Provides-Extra, and for metadata that lacks it the extras its markers name."""
    named = {extra for text in distribution.requires_dist for extra in _EXTRA.findall(text)}
    return frozenset(canonicalize_name(one) for one in (*distribution.provides_extra, *named))


def _parse(owner: Distribution, text: str) -> Need:
    try:
        return Need(owner=owner, text=text, requirement=Requirement(text))
    except InvalidRequirement as error:
        return Need(owner=owner, text=text, requirement=None, problem=str(error).partition("\n")[0])


def _settle(need: Need, in_use: Iterable[str], markers: Mapping[str, str]) -> Need:
    requirement = need.requirement
    if requirement is None:
        return need
    always = _holds(requirement, markers, "")
    named = [canonicalize_name(extra) for extra in _EXTRA.findall(str(requirement.marker or ""))]
    extras = () if always else tuple(extra for extra in named if _holds(requirement, markers, extra))
    applies = always or any(extra in extras for extra in in_use)
    return Need(owner=need.owner, text=need.text, requirement=requirement, applies=applies, extras=extras)


def _holds(requirement: Requirement, markers: Mapping[str, str], extra: str) -> bool:
    if requirement.marker is None:
        return True
    try:
        return requirement.marker.evaluate({**markers, "extra": extra})
    except (UndefinedComparison, UndefinedEnvironmentName, InvalidVersion):
        return True  # asked for, as far as can be told


def _extras_in_use(parsed: Mapping[str, tuple[Need, ...]], markers: Mapping[str, str]) -> Mapping[str, set[str]]:
    """Follows a[b] from requirement to requirement until nothing new turns up."""
    in_use: defaultdict[str, set[str]] = defaultdict(set)
    waiting = [(name, "") for name in parsed]
    while waiting:
        name, extra = waiting.pop()
        for need in parsed.get(name, ()):
            if not need.requirement or not _holds(need.requirement, markers, extra):
                continue
            for asked in sorted(map(canonicalize_name, need.requirement.extras)):
                if asked not in in_use[need.name]:
                    in_use[need.name].add(asked)
                    waiting.append((need.name, asked))
    return in_use

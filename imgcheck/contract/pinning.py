"""Which installed distributions a contract pins, and why the others are not pinned. Nothing is dropped in silence."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from packaging.utils import canonicalize_name, is_normalized_name

from imgcheck.contract.change import Change, ChangeKind, shown
from imgcheck.contract.near_miss import did_you_mean
from imgcheck.diagnosis.versions import parse_version
from imgcheck.errors import UsageError
from imgcheck.facts.model import Distribution, Inventory

FREE = {"pip": "an image may upgrade pip; write the pin yourself, or name it in --only, to hold it"}
"""Distributions that a freeze pins only when told to."""


@dataclass(frozen=True, kw_only=True)
class Installed:
    """Versions by canonical name, sorted, as the metadata writes them; `unpinnable` ones have no usable version."""

    versions: Mapping[str, str]
    unpinnable: frozenset[str]
    changes: tuple[Change, ...]


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What the user asked for. `only` empty means everything."""

    only: frozenset[str]
    exclude: frozenset[str]

    def touches(self, name: str) -> bool:
        return not self.only or name in self.only

    def adds(self, name: str) -> bool:
        """Whether a distribution that has no pin yet gets one."""
        return self.touches(name) and name not in self.exclude and (name in self.only or name not in FREE)


def installed_versions(inventory: Inventory) -> Installed:
    """The first of each name on sys.path."""
    first: dict[str, Distribution] = {}
    changes: list[Change] = []
    for one in inventory.distributions:
        if not _is_name(one.canonical_name):
            changes.append(_nameless(one))
        elif one.canonical_name in first:
            changes.append(_shadowed(one, first[one.canonical_name]))
        else:
            first[one.canonical_name] = one
    bad = {name: one for name, one in sorted(first.items()) if parse_version(one.version) is None}
    return Installed(
        versions={name: one.version.strip() for name, one in sorted(first.items()) if name not in bad},
        unpinnable=frozenset(bad),
        changes=(*changes, *(_versionless(name, one) for name, one in bad.items())),
    )


def choose(installed: Installed, image: str, only: Collection[str], exclude: Collection[str]) -> Choice:
    """Raises UsageError for names that are not installed."""
    choice = Choice(only=frozenset(map(canonicalize_name, only)), exclude=frozenset(map(canonicalize_name, exclude)))
    known = installed.versions.keys() | installed.unpinnable
    problems = [*_unknown("--only", only, known, image), *_unknown("--exclude", exclude, known, image)]
    problems += [f"{name} is in both --only and --exclude" for name in sorted(choice.only & choice.exclude)]
    if problems:
        raise UsageError("\n".join(problems))
    return choice


def left_free(installed: Installed, pinned: Collection[str]) -> Iterator[Change]:
    for name, why in FREE.items():
        if name in installed.versions and name not in pinned:
            yield Change(kind=ChangeKind.NOT_PINNED, name=name, new=installed.versions[name], note=why)


def _unknown(option: str, names: Iterable[str], known: Collection[str], image: str) -> Iterator[str]:
    for name in names:
        canonical = canonicalize_name(name)
        if canonical not in known:
            yield f"{option} {name}: is not installed in {image}{did_you_mean(canonical, known)}"


def _is_name(name: str) -> bool:
    return is_normalized_name(name) and name.isprintable()


def _nameless(one: Distribution) -> Change:
    why = one.problem or f"its name {one.name!r} is no distribution name"
    return Change(kind=ChangeKind.NOT_PINNED, name=shown(one.metadata_path), note=shown(why))


def _versionless(name: str, one: Distribution) -> Change:
    why = one.problem or f"its version {one.version!r} is none that PEP 440 knows"
    return Change(kind=ChangeKind.NOT_PINNED, name=name, note=shown(why))


def _shadowed(one: Distribution, first: Distribution) -> Change:
    why = f"in {one.location}; {first.version} in {first.location} comes first on sys.path"
    return Change(kind=ChangeKind.SHADOWED, name=one.canonical_name, old=shown(one.version), note=shown(why))

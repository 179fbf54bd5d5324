"""What differs between what is installed in two images. Pure.

Of a distribution that is there twice, the one that wins on sys.path counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from packaging.version import InvalidVersion, Version

from imgcheck.facts.model import Distribution, Inventory


class Direction(str, Enum):
    """Where a version went; aside where the two cannot be compared (PEP 440)."""

    UP = "up"
    DOWN = "down"
    ASIDE = "aside"


@dataclass(frozen=True, kw_only=True)
class Installed:
    """A distribution that only one side has."""

    name: str
    version: str


@dataclass(frozen=True, kw_only=True)
class Moved:
    """A distribution of another public version."""

    name: str
    before: str
    after: str
    direction: Direction


@dataclass(frozen=True, kw_only=True)
class Change:
    """One property of a distribution that differs."""

    what: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class Rebuilt:
    """The same public version, and not the same build."""

    name: str
    version: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, kw_only=True)
class InventoryDiff:
    """All differences, each kind in the order of names. `python` is the interpreter's version, where it differs."""

    added: tuple[Installed, ...]
    removed: tuple[Installed, ...]
    moved: tuple[Moved, ...]
    rebuilt: tuple[Rebuilt, ...]
    same: int
    python: Change | None = None

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.moved or self.rebuilt or self.python)


def diff(a: Inventory, b: Inventory) -> InventoryDiff:
    """What became of `a` in `b`."""
    before, after = _winners(a), _winners(b)
    shared = [(name, before[name], after[name]) for name in sorted(before.keys() & after.keys())]
    moved = tuple(one for each in shared for one in _moved(*each))
    rebuilt = tuple(one for each in shared for one in _rebuilt(*each))
    return InventoryDiff(
        added=_only(after, before),
        removed=_only(before, after),
        moved=moved,
        rebuilt=rebuilt,
        same=len(shared) - len(moved) - len(rebuilt),
        python=_change("python", a.interpreter.version, b.interpreter.version),
    )


def _winners(inventory: Inventory) -> dict[str, Distribution]:
    return {one.canonical_name: one for one in reversed(inventory.distributions)}


def _only(these: Mapping[str, Distribution], those: Mapping[str, Distribution]) -> tuple[Installed, ...]:
    names = sorted(these.keys() - those.keys())
    return tuple(Installed(name=name, version=these[name].version) for name in names)


def _moved(name: str, before: Distribution, after: Distribution) -> Iterator[Moved]:
    direction = _direction(before.version, after.version)
    if direction:
        yield Moved(name=name, before=before.version, after=after.version, direction=direction)


def _direction(before: str, after: str) -> Direction | None:
    """None for the same public version: 1.0 and 1.0.0 are one, and so are 2.1 and 2.1+cu121."""
    try:
        old, new = Version(Version(before).public), Version(Version(after).public)
    except InvalidVersion:
        return None if before == after else Direction.ASIDE
    if old == new:
        return None
    return Direction.UP if new > old else Direction.DOWN


def _rebuilt(name: str, before: Distribution, after: Distribution) -> Iterator[Rebuilt]:
    if _direction(before.version, after.version):
        return
    changes = (
        _change("local version", _local(before.version), _local(after.version)),
        _change("wheel tags", _tags(before), _tags(after)),
        _change("direct URL", _url(before.direct_url), _url(after.direct_url)),
        _change("installer", before.installer, after.installer),
    )
    told = tuple(change for change in changes if change)
    if told:
        yield Rebuilt(name=name, version=after.version, changes=told)


def _change(what: str, before: str, after: str) -> Change | None:
    return None if before == after else Change(what=what, before=before, after=after)


def _local(version: str) -> str:
    try:
        return Version(version).local or ""
    except InvalidVersion:
        return ""


def _tags(distribution: Distribution) -> str:
    return ", ".join(sorted(distribution.wheel_tags))


def _url(text: str) -> str:
    """Without differences of layout (PEP 610 is JSON)."""
    try:
        return json.dumps(json.loads(text), sort_keys=True) if text else ""
    except (ValueError, RecursionError):
        return text

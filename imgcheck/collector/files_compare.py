"""What owners list against what is there: missing, of another size, of another hash.

All sizes are compared, and the hashes of what is suspected: written before or after the installation, or listed by
several (files_contested.py).
Floor: Python 3.8.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Iterable, NamedTuple

from imgcheck.collector.files_contested import Claims
from imgcheck.collector.files_hashing import Asked, Bounds, digests_of
from imgcheck.collector.files_owners import Owner, Row, digest_told, shown
from imgcheck.collector.files_tree import Tree

LISTED = 200
MISSING_LISTED = 5000
_UNPACKING = 600.0
"""Seconds before METADATA from which a file counts as older than its installation: unpacking takes a while."""
_READ = ("/METADATA", "/PKG-INFO", "/entry_points.txt")
"""What installers and this collector read of a distribution is always hashed."""
_CODE = (".py", ".so")

Facts = Dict[str, Any]


class _Pending(NamedTuple):
    number: int
    row: Row
    asked: Asked
    digest: str


class Comparison:
    """Compares all owners with one tree."""

    def __init__(self, tree: Tree, owners: Iterable[Owner], bounds: Bounds) -> None:
        self._tree = tree
        self._owners = list(owners)
        self._allow = bounds.allow
        self._facts = [_empty(one) for one in self._owners]
        self._packaged = {row.path: row for one in self._owners if one.kind == "conda" for row in one.rows}
        self._pending: list[_Pending] = []
        self.claims = Claims(self._owners)

    def owners(self) -> list[Facts]:
        """Facts on each owner, in the order they were given; asks the disk."""
        for number, owner in enumerate(self._owners):
            self._compare(number, owner)
        digests = digests_of(one.asked for one in self._pending)
        for one in self._pending:
            self._settle(one, digests[one.asked])
        for facts in self._facts:
            _bound(facts)
        return self._facts

    def _compare(self, number: int, owner: Owner) -> None:
        facts = self._facts[number]
        began, ended = self._times(owner)
        packaged = self._packaged if owner.kind == "record" else {}
        several = self.claims.several
        own = owner.metadata + "/"
        for row in owner.rows:
            path = row.path
            seen = self._look(path, owner, facts)
            if seen is None:
                continue
            size = seen.st_size
            if path.endswith(_CODE):
                facts["code_files"] += 1
                facts["code_bytes"] += size
            elif not path.startswith(own):
                facts["other_files"] += 1
            if path in several and self.claims.is_told_elsewhere(number, path):
                facts["shared"] += 1
                continue
            expected = packaged.get(path, row)
            if expected.size not in (-1, size):
                self._differs(number, expected, "size", size)
            elif expected.told and self._allow(size, not began <= seen.st_mtime <= ended or path.endswith(_READ)):
                algorithm, digest = digest_told(expected.told)
                self._pending.append(_Pending(number, expected, Asked(path, algorithm, size), digest))
            else:
                facts["unhashed"] += 1

    def _look(self, path: str, owner: Owner, facts: Facts) -> os.stat_result | None:
        """What is there; None where that is told already."""
        try:
            seen = self._tree.look(path)
        except PermissionError:
            facts["unreadable"] += 1
            return None
        if seen is None and path.endswith(".py") and path + "c" in self._tree:
            facts["sourceless"] += 1  # compileall -b writes what Python then loads (PEP 3147)
        elif seen is None and not os.path.islink(path):
            facts["missing"].append(shown(path, owner))
        return seen

    def _times(self, owner: Owner) -> tuple[float, float]:
        """When the installation wrote: RECORD comes last, METADATA with the wheel's own files."""
        if owner.kind != "record":
            return 0.0, self._time(owner.metadata)
        return self._time(owner.metadata + "/METADATA") - _UNPACKING, self._time(owner.metadata + "/RECORD")

    def _time(self, path: str) -> float:
        try:
            seen = self._tree.look(path)
        except PermissionError:
            return 0.0
        return seen.st_mtime if seen else 0.0

    def _settle(self, one: _Pending, digest: str | None) -> None:
        facts = self._facts[one.number]
        if digest is None or not one.digest:
            facts["unhashed"] += 1
            return
        facts["hashed"] += 1
        if digest != one.digest:
            self._differs(one.number, one.row, "hash", one.asked.size)

    def _differs(self, number: int, row: Row, by: str, size: int) -> None:
        owner = self._owners[number]
        if not row.path.startswith(owner.location + "/") and _is_script(row.path):
            self._facts[number]["rewritten"] += 1  # moved environments and conda rewrite the first line
            return
        self._facts[number]["altered"].append(
            {"path": shown(row.path, owner), "by": by, "size": size, "recorded": row.size}
        )


def _empty(owner: Owner) -> Facts:
    return {
        "kind": owner.kind,
        "name": owner.name,
        "version": owner.version,
        "location": owner.location,
        "metadata_path": owner.metadata,
        "listed": len(owner.rows),
        "hashed": 0,
        "unhashed": 0,
        "unreadable": 0,
        "shared": 0,
        "sourceless": 0,
        "rewritten": 0,
        "code_files": 0,
        "code_bytes": 0,
        "other_files": 0,
        "missing": [],
        "altered": [],
    }


def _bound(facts: Facts) -> None:
    for key, most in (("missing", MISSING_LISTED), ("altered", LISTED)):
        facts[key + "_count"] = len(facts[key])
        facts[key] = sorted(facts[key], key=str)[:most]


def _is_script(path: str) -> bool:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(2) == b"#!"
    except (OSError, ValueError):
        return False

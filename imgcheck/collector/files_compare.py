"""What owners list against what is there: missing, of another size, of another hash, listed by several.

Sizes are compared first; then hashes of what is small, or suspected: changed after the list was written, or listed by
several.
Floor: Python 3.8.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Iterable, NamedTuple

from imgcheck.collector.files_hashing import Asked, Bounds, digests_of
from imgcheck.collector.files_owners import Owner, Row
from imgcheck.collector.files_tree import Tree

LISTED = 200
MISSING_LISTED = 5000
_LATER = 2.0
"""Seconds after its list was written from which a file counts as changed later: installers write RECORD last."""
_OWN = ("RECORD", "RECORD.jws", "RECORD.p7s", "INSTALLER", "REQUESTED", "direct_url.json")
_STARTS = 1 << 13
_CODE = (".py", ".so")

Facts = Dict[str, Any]


class _Pending(NamedTuple):
    number: int
    row: Row
    size: int


class Comparison:
    """Compares all owners with one tree."""

    def __init__(self, tree: Tree, owners: Iterable[Owner], *, deep: bool) -> None:
        self._tree = tree
        self._owners = list(owners)
        self._bounds = Bounds(deep=deep)
        self._facts = [_empty(one) for one in self._owners]
        self._claims: dict[str, list[tuple[int, Row]]] = {}
        self._packaged: dict[str, Row] = {}
        self._pending: list[_Pending] = []
        self._later = [_written(one) + _LATER for one in self._owners]
        for number, owner in enumerate(self._owners):
            for row in owner.rows:
                if owner.kind == "conda":
                    self._packaged.setdefault(row.path, row)
                if owner.kind == "record" and not _is_unjudged(row.path, owner):
                    claims = self._claims.setdefault(row.path, [])
                    if not claims or claims[-1][0] != number:  # a RECORD may name a file twice
                        claims.append((number, row))

    def owners(self) -> list[Facts]:
        """Facts on each owner, in the order they were given; asks the disk."""
        for number, owner in enumerate(self._owners):
            for row in owner.rows:
                if not _is_unjudged(row.path, owner):
                    self._compare(number, owner, row)
        digests = digests_of(Asked(one.row.path, one.row.algorithm, one.size) for one in self._pending)
        for one in self._pending:
            self._settle(one, digests[one.row.path, one.row.algorithm])
        for facts in self._facts:
            _bound(facts)
        return self._facts

    def _compare(self, number: int, owner: Owner, row: Row) -> None:
        facts = self._facts[number]
        facts["listed"] += 1
        try:
            seen = self._tree.look(row.path)
        except PermissionError:
            facts["unreadable"] += 1
            return
        if seen is None:
            if not os.path.islink(row.path):
                facts["missing"].append(shown(row.path, owner))
            return
        facts["payload"] += not row.path.startswith(owner.metadata + "/")
        if row.path.endswith(_CODE):
            facts["code_files"] += 1
            facts["code_bytes"] += seen.st_size
        if self._is_told_elsewhere(number, row):
            facts["shared"] += 1
            return
        expected = self._packaged.get(row.path, row) if owner.kind == "record" else row
        if expected.size >= 0 and expected.size != seen.st_size:
            self._differs(number, row, "size", seen.st_size)
        elif not expected.digest:
            facts["unhashed"] += 1
        elif self._bounds.allow(seen.st_size, suspected=seen.st_mtime > self._later[number]):
            self._pending.append(_Pending(number, expected, seen.st_size))
        else:
            facts["unhashed"] += 1
            facts["unhashed_bytes"] += seen.st_size

    def _is_told_elsewhere(self, number: int, row: Row) -> bool:
        """By `contested` where several owners list different hashes, by the first of them where it is the same one."""
        claims = self._claims.get(row.path, ())
        if len(claims) < 2:
            return False
        return number != claims[0][0] or len({one.digest for _, one in claims}) > 1

    def _settle(self, one: _Pending, digest: str | None) -> None:
        facts = self._facts[one.number]
        if digest is None:
            facts["unhashed"] += 1
            return
        facts["hashed"] += 1
        if digest != one.row.digest:
            self._differs(one.number, one.row, "hash", one.size)

    def _differs(self, number: int, row: Row, by: str, size: int) -> None:
        owner = self._owners[number]
        if not row.path.startswith(owner.location + "/") and _is_script(row.path):
            self._facts[number]["rewritten"] += 1  # moved environments and conda rewrite the first line
            return
        self._facts[number]["altered"].append(
            {"path": shown(row.path, owner), "by": by, "size": size, "recorded": row.size}
        )

    def contested(self) -> list[Facts]:
        """Files that several RECORDs list, by their owners; all of them are hashed unless the hashes are the same."""
        groups: dict[tuple[int, ...], list[tuple[str, list[tuple[int, Row]]]]] = {}
        for path, claims in self._claims.items():
            if len(claims) > 1 and self._is_there(path):
                groups.setdefault(tuple(number for number, _ in claims), []).append((path, claims))
        return [self._contest(numbers, sorted(files)) for numbers, files in sorted(groups.items())]

    def _is_there(self, path: str) -> bool:
        try:
            return self._tree.look(path) is not None
        except PermissionError:
            return True

    def _contest(self, numbers: tuple[int, ...], files: list[tuple[str, list[tuple[int, Row]]]]) -> Facts:
        owners = [self._owners[number] for number in numbers]
        different = [(path, claims) for path, claims in files if len({row.digest for _, row in claims}) > 1]
        digests = digests_of(self._asked(different))
        won = dict.fromkeys(numbers, 0)
        untold = nobody = 0
        told: list[Facts] = []
        for path, claims in different:
            winners = [number for number, row in claims if digests.get((path, row.algorithm)) == row.digest]
            known = any(digests.get((path, row.algorithm)) for _, row in claims)
            for number in winners:
                won[number] += 1
            untold += not known
            nobody += known and not winners
            winner = self._owners[winners[0]].metadata if winners else ""
            told.append({"path": shown(path, owners[0]), "winner": winner, "namespace": _is_namespace(path)})
        return {
            "owners": [owner.metadata for owner in owners],
            "names": [owner.name for owner in owners],
            "files": len(files),
            "same": len(files) - len(different),
            "different": told[:LISTED],
            "different_count": len(told),
            "won": [won[number] for number in numbers],
            "untold": untold,
            "nobodys": nobody,
        }

    def _asked(self, files: Iterable[tuple[str, list[tuple[int, Row]]]]) -> Iterable[Asked]:
        for path, claims in files:
            try:
                seen = self._tree.look(path)
            except PermissionError:
                continue
            if seen is not None and self._bounds.allow(seen.st_size, suspected=True):
                for _, row in claims:
                    if row.digest:
                        yield Asked(path, row.algorithm, seen.st_size)

    def owner_of(self, path: str) -> str:
        """Metadata of the first distribution that lists a path; empty where none does."""
        claims = self._claims.get(path)
        return self._owners[claims[0][0]].metadata if claims else ""

    def paths(self) -> set[str]:
        """Every path that somebody lists."""
        return {row.path for owner in self._owners for row in owner.rows}


def _empty(owner: Owner) -> Facts:
    return {
        "kind": owner.kind,
        "name": owner.name,
        "version": owner.version,
        "location": owner.location,
        "metadata_path": owner.metadata,
        "listed": 0,
        "hashed": 0,
        "unhashed": 0,
        "unhashed_bytes": 0,
        "unreadable": 0,
        "shared": 0,
        "rewritten": 0,
        "code_files": 0,
        "code_bytes": 0,
        "payload": 0,
        "missing": [],
        "altered": [],
    }


def _bound(facts: Facts) -> None:
    for key, most in (("missing", MISSING_LISTED), ("altered", LISTED)):
        facts[key + "_count"] = len(facts[key])
        facts[key] = sorted(facts[key], key=str)[:most]


def _is_unjudged(path: str, owner: Owner) -> bool:
    """Bytecode that Python writes anew, and what installers write into RECORD without a hash, or change later."""
    if path.endswith(".pyc") or "/__pycache__/" in path:
        return True
    return path.rpartition("/")[2] in _OWN and path.startswith(owner.metadata + "/")


def shown(path: str, owner: Owner) -> str:
    """The path below the owner's location, or as it is."""
    start = owner.location + "/"
    return path[len(start) :] if owner.location and path.startswith(start) else path


def _written(owner: Owner) -> float:
    file = owner.metadata + "/RECORD" if owner.kind == "record" else owner.metadata
    try:
        return os.stat(file).st_mtime
    except (OSError, ValueError):
        return 0.0


def _is_script(path: str) -> bool:
    return _start(path, 2) == b"#!"


def _is_namespace(path: str) -> bool:
    """An __init__ of the older kinds of namespace packages, which each of its distributions brings."""
    if not path.endswith("/__init__.py"):
        return False
    text = _start(path, _STARTS)
    return b"extend_path" in text or b"declare_namespace" in text or not text.strip()


def _start(path: str, size: int) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(size) or b""
    except (OSError, ValueError):
        return b""

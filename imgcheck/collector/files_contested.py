"""Files that several RECORDs list: whose content is there.

Floor: Python 3.8.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, Mapping, Sequence

from imgcheck.collector.files_hashing import Asked, Bounds, digests_of
from imgcheck.collector.files_owners import Owner, Row, digest_told, shown
from imgcheck.collector.files_tree import Tree

_LISTED = 200
_STARTS = 1 << 13

Facts = Dict[str, Any]


class Claims:
    """Who lists a path. `several` are the paths in more than one RECORD: owner's number and row of each."""

    def __init__(self, owners: Sequence[Owner]) -> None:
        self._owners = owners
        self._first: dict[str, int] = {}
        numbers: dict[str, list[int]] = {}
        for number, owner in enumerate(owners):
            for row in owner.rows:
                first = self._first.setdefault(row.path, number)
                if first != number and owner.kind == owners[first].kind == "record":
                    numbers.setdefault(row.path, [first]).append(number)
        self.several = self._rows(numbers)

    def _rows(self, numbers: Mapping[str, list[int]]) -> dict[str, list[tuple[int, Row]]]:
        """Path -> (owner's number, row)."""
        several = {number for found in numbers.values() for number in found}
        rows = {number: {row.path: row for row in self._owners[number].rows} for number in several}
        return {path: [(number, rows[number][path]) for number in found] for path, found in numbers.items()}

    def __contains__(self, path: str) -> bool:
        return path in self._first

    def __iter__(self) -> Iterator[str]:
        return iter(self._first)

    def owner_of(self, path: str) -> str:
        """Metadata of the first owner that lists a path; empty where none does."""
        number = self._first.get(path)
        return "" if number is None else self._owners[number].metadata

    def is_told_elsewhere(self, number: int, path: str) -> bool:
        """By `contested` where several list different hashes, by the first of them where it is the same one."""
        claims = self.several[path]
        return number != claims[0][0] or _differ(claims)

    def contested(self, tree: Tree, bounds: Bounds) -> list[Facts]:
        """Those that are there, by their owners; all of them are hashed unless the hashes are the same."""
        groups: dict[tuple[int, ...], list[str]] = {}
        for path, claims in self.several.items():
            if _size(tree, path) is not None:
                groups.setdefault(tuple(number for number, _ in claims), []).append(path)
        return [self._contest(numbers, sorted(paths), tree, bounds) for numbers, paths in sorted(groups.items())]

    def _contest(self, numbers: tuple[int, ...], paths: list[str], tree: Tree, bounds: Bounds) -> Facts:
        owners = [self._owners[number] for number in numbers]
        different = [path for path in paths if _differ(self.several[path])]
        digests = digests_of(one for path in different for one in self._asked(path, tree, bounds))
        there = {(one.path, one.algorithm): digest for one, digest in digests.items() if digest}
        winners = {path: self._winners(path, there) for path in different}
        known = {path for path, _ in there}
        files = [
            {
                "path": shown(path, owners[0]),
                "winner": self._owners[winners[path][0]].metadata if winners[path] else "",
                "namespace": _is_namespace(path),
            }
            for path in different[:_LISTED]
        ]
        return {
            "owners": [owner.metadata for owner in owners],
            "names": [owner.name for owner in owners],
            "files": len(paths),
            "same": len(paths) - len(different),
            "different": files,
            "different_count": len(different),
            "won": [sum(number in one for one in winners.values()) for number in numbers],
            "untold": sum(path not in known for path in different),
        }

    def _winners(self, path: str, there: Mapping[tuple[str, str], str]) -> list[int]:
        told = ((number, digest_told(row.told)) for number, row in self.several[path])
        return [number for number, (algorithm, digest) in told if there.get((path, algorithm)) == digest]

    def _asked(self, path: str, tree: Tree, bounds: Bounds) -> Iterator[Asked]:
        size = _size(tree, path)
        if size is not None and size >= 0 and bounds.allow(size, True):
            for algorithm in {digest_told(row.told)[0] for _, row in self.several[path] if row.told}:
                yield Asked(path, algorithm, size)


def _differ(claims: Iterable[tuple[int, Row]]) -> bool:
    told = {row.told for _, row in claims}
    return len(told) > 1 and len({digest_told(one) for one in told}) > 1


def _size(tree: Tree, path: str) -> int | None:
    """None where nothing is there, -1 where this user cannot tell."""
    try:
        seen = tree.look(path)
    except PermissionError:
        return -1
    return seen.st_size if seen else None


def _is_namespace(path: str) -> bool:
    """An __init__ of the older kinds of namespace packages, which each of its distributions brings."""
    if not path.endswith("/__init__.py"):
        return False
    try:
        with open(path, "rb", buffering=0) as file:
            text = file.read(_STARTS) or b""
    except (OSError, ValueError):
        return False
    return b"extend_path" in text or b"declare_namespace" in text or not text.strip()

"""One name, several distributions: in one folder, in two folders of sys.path, or beside a package manager's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from imgcheck.diagnosis.contents import is_editable
from imgcheck.diagnosis.file_owners import FileOwners
from imgcheck.diagnosis.versions import parse_version
from imgcheck.facts.model import Distribution, InterpreterFacts


@dataclass(frozen=True, kw_only=True)
class Hidden:
    """A distribution that another one, earlier on sys.path, hides."""

    winner: Distribution
    hidden: tuple[Distribution, ...]

    @property
    def is_other(self) -> bool:
        return any(one.version != self.winner.version for one in self.hidden)

    @property
    def is_older(self) -> bool:
        """The winner's version is below a hidden one's."""
        mine = parse_version(self.winner.version)
        others = [version for one in self.hidden if (version := parse_version(one.version))]
        return mine is not None and any(mine < other for other in others)


def hidden_ones(owners: FileOwners) -> Iterator[Hidden]:
    """By name; an editable install's own metadata beside its source is no second one."""
    by_name: defaultdict[str, list[Distribution]] = defaultdict(list)
    for one in owners.inventory.distributions:
        if all(one.location != known.location for known in by_name[one.canonical_name]):
            by_name[one.canonical_name].append(one)
    for several in by_name.values():
        editable = any(is_editable(one) for one in several)
        counted = [one for one in several if not (editable and one.location not in owners.files.roots)]
        if len(counted) > 1:
            yield Hidden(winner=counted[0], hidden=tuple(counted[1:]))


def is_outside(one: Distribution, interpreter: InterpreterFacts) -> bool:
    """Below none of the interpreter's prefixes: a user's own site-packages, or a folder named by PYTHONPATH."""
    prefixes = {interpreter.prefix.rstrip("/") + "/", interpreter.base_prefix.rstrip("/") + "/"}
    return not any(one.location.startswith(prefix) for prefix in prefixes)


def on_disk(several: tuple[Distribution, ...], owners: FileOwners) -> Mapping[str, str]:
    """Version -> how much of it is there, for distributions of one name in one folder."""
    paths = {one.metadata_path: one for one in several}
    won: dict[str, int] = defaultdict(int)
    for group in owners.files.contested:
        for owner, count in zip(group.owners, group.won, strict=True):
            if owner in paths and len(set(group.owners) & set(paths)) > 1:
                won[owner] += count
    lists = {one.metadata_path: one for one in owners.files.owners}
    told = {}
    for path, one in paths.items():
        files = lists.get(path)
        shared = f"{won[path]:,} of the files that differ are its own"
        lacking = f", {files.missing_count:,} files are missing" if files and files.missing_count else ""
        told[one.version] = shared + lacking
    return told

"""A lock's text: entries with their hashes and comments, the base's own left out, and what differs between two."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from imgcheck.contract.model import Contract, specifier_set
from imgcheck.diagnosis.versions import allows, parse_version

_HASH: Final = re.compile(r"--hash[= ](sha\d+:[0-9a-f]+)")
_PYTHON: Final = re.compile(r"^# Python (?P<version>3\.\d+)", re.MULTILINE)
_COMMENT: Final = re.compile(r"(?:^|\s+)#.*$")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One distribution. `text` is the requirement alone, `lines` all of it as written, from line `line` on."""

    name: str
    text: str
    lines: tuple[str, ...]
    line: int
    hashes: frozenset[str] = frozenset()

    @property
    def version(self) -> str:
        """Of ==VERSION; empty for an address."""
        try:
            clauses = list(Requirement(self.text).specifier)
        except InvalidRequirement:
            return ""
        return next((one.version for one in clauses if one.operator in ("==", "===")), "")

    @property
    def said(self) -> tuple[str, frozenset[str]]:
        """What two locks are compared by."""
        return " ".join(self.text.split()), self.hashes


@dataclass(frozen=True, kw_only=True)
class Lock:
    """Entries by name, and the Python that the header names; empty where it names none."""

    entries: tuple[Entry, ...]
    python: str = ""

    def find(self, name: str) -> Entry | None:
        return next((one for one in self.entries if one.name == name), None)


def parse_lock(text: str) -> Lock:
    """A requirements file that pip-tools, uv or imgcheck wrote; other lines are passed over."""
    entries: list[Entry] = []
    block: list[str] = []
    start = 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line[:1].isspace() and line.strip() and block:
            block.append(line)
            continue
        if block:
            entries.extend(_entry(block, start))
        begins = bool(line.strip()) and line[0] not in "#-"
        block, start = ([line], number) if begins else ([], 0)
    python = _PYTHON.search(text)
    return Lock(entries=tuple(entries), python=python["version"] if python else "")


def _entry(block: list[str], line: int) -> Iterable[Entry]:
    text = _COMMENT.sub("", block[0]).rstrip().removesuffix("\\").split(" --hash", 1)[0].strip()
    try:
        name: str = canonicalize_name(Requirement(text).name)
    except InvalidRequirement:
        name = text  # a bare address
    hashes = frozenset(_HASH.findall("\n".join(block)))
    yield Entry(name=name, text=text, lines=tuple(block), line=line, hashes=hashes)


def without_base(lock: Lock, versions: Mapping[str, str]) -> Lock:
    """Without what the base has at that very version."""
    return replace(
        lock, entries=tuple(one for one in lock.entries if versions.get(one.name) != one.version or not one.version)
    )


def without_hashes(lock: Lock, digests: frozenset[str]) -> tuple[Lock, tuple[str, ...]]:
    """Without the hashes of stand-ins; the names that have none left where they had some."""
    entries: list[Entry] = []
    bare: list[str] = []
    for one in lock.entries:
        kept = frozenset(value for value in one.hashes if value.partition(":")[2] not in digests)
        if kept != one.hashes:
            one = replace(one, hashes=kept, lines=_relined(one, kept))  # noqa: PLW2901 - the same entry, cleaned
            bare += [] if kept else [one.name]
        entries.append(one)
    return replace(lock, entries=tuple(entries)), tuple(bare)


def _relined(entry: Entry, kept: frozenset[str]) -> tuple[str, ...]:
    comments = [line for line in entry.lines[1:] if line.lstrip().startswith("#")]
    first = entry.text + (" \\" if kept else "")
    hashes = [f"    --hash={value}" for value in sorted(kept)]
    return (first, *(f"{line} \\" for line in hashes[:-1]), *hashes[-1:], *comments)


def lock_text(lock: Lock, header: Iterable[str]) -> str:
    return "\n".join([*(f"# {line}" for line in header), *(line for one in lock.entries for line in one.lines), ""])


def differences(old: Lock, new: Lock) -> tuple[str, ...]:
    """Sentences of what a fresh resolution would change."""
    told: list[str] = []
    for name in sorted({one.name for one in (*old.entries, *new.entries)}):
        before, after = old.find(name), new.find(name)
        if before is None and after is not None:
            told.append(f"{after.text} is missing")
        elif after is None and before is not None:
            told.append(f"{before.text} is no longer asked for, or the base has it (line {before.line})")
        elif before is not None and after is not None and before.said != after.said:
            what = (
                f"{before.text} would be {after.text}" if before.text != after.text else f"the hashes of {name} differ"
            )
            told.append(f"{what} (line {before.line})")
    return tuple(told)


def contradictions(lock: Lock, contract: Contract, path: str) -> tuple[str, ...]:
    """Entries that a pin does not allow."""
    found: list[str] = []
    for one in lock.entries:
        pin, version = contract.pins.get(one.name), parse_version(one.version)
        if pin is not None and version is not None and not allows(specifier_set(pin), version):
            place = contract.where("pins", one.name)
            found.append(
                f"{path}:{one.line}: {one.text}, and the contract pins {one.name} {pin}"
                + (f" ({place})" if place else "")
            )
    return tuple(found)

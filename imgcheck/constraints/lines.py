"""Constraints files, as pip reads them: a requirement a line, with its place. What cannot constrain is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion

from imgcheck.errors import ContractError
from imgcheck.outcome import Location

_COMMENT = re.compile(r"(^|\s+)#.*$")
_OPTIONS = re.compile(r"\s--?[A-Za-z].*$")
_INCLUDE = re.compile(r"(-r|--requirement|-c|--constraint)(\s|=|$|(?=[^\s-]))")
_EDITABLE = re.compile(r"(-e|--editable)(\s|=|$)")


@dataclass(frozen=True, kw_only=True)
class ConstraintLine:
    """One constraint. `written` is what follows the name, exactly as it stands: ">=1.26,<2"."""

    requirement: Requirement
    written: str
    where: Location

    @property
    def name(self) -> str:
        return canonicalize_name(self.requirement.name)

    @property
    def text(self) -> str:
        """As pip and uv read it, by canonical name."""
        marker = f" ; {self.requirement.marker}" if self.requirement.marker else ""
        address = f" @ {self.requirement.url}" if self.requirement.url else self.written
        return f"{self.name}{address}{marker}"

    def holds(self, environment: Mapping[str, str]) -> bool:
        """Whether its marker is true there; one that cannot be told counts as true."""
        if self.requirement.marker is None:
            return True
        try:
            return self.requirement.marker.evaluate({**environment, "extra": ""})
        except (UndefinedComparison, UndefinedEnvironmentName, InvalidVersion):
            return True


@dataclass(frozen=True, kw_only=True)
class ConstraintsFile:
    """What a file says. `notes` tell what was read over."""

    lines: tuple[ConstraintLine, ...]
    notes: tuple[str, ...] = ()


def read_constraints(text: str, source: str) -> ConstraintsFile:
    """Read a constraints file.

    Args:
        text: its content.
        source: its path, for messages.

    Raises:
        ContractError: with a line for each line that cannot be used.
    """
    lines: list[ConstraintLine] = []
    notes: list[str] = []
    problems: list[str] = []
    for number, line in logical_lines(text):
        where = Location(file=source, line=number)
        try:
            found = _read(line, where, notes)
        except _UnusableError as error:
            problems.append(f"{where}: {error}")
        else:
            lines.extend(found)
    if problems:
        raise ContractError("\n".join(problems), remedy="A constraint is a name and versions: protobuf==4.25.3")
    return ConstraintsFile(lines=tuple(lines), notes=tuple(notes))


class _UnusableError(Exception):
    """Why a line is no constraint."""


def _read(line: str, where: Location, notes: list[str]) -> tuple[ConstraintLine, ...]:
    if _INCLUDE.match(line):
        raise _UnusableError(f"{line!r} includes another file, which is not followed; name that file itself")
    if _EDITABLE.match(line):
        raise _UnusableError(f"{line!r} is editable, and a constraint cannot be")
    if line.startswith("-"):
        option = re.split(r"[\s=]", line, maxsplit=1)[0]
        notes.append(f"{where}: {option} is an option of pip and is not used")
        return ()
    bare = _OPTIONS.sub("", line).strip()
    if bare != line:
        notes.append(f"{where}: options of a line, such as --hash, are not used; {bare} is")
    return (_constraint(bare, where, notes),)


def _constraint(text: str, where: Location, notes: list[str]) -> ConstraintLine:
    try:
        requirement = Requirement(text)
    except InvalidRequirement as error:
        reason = str(error).partition("\n")[0]
        raise _UnusableError(f"{text!r} is no requirement: {reason}") from None
    if requirement.extras:
        notes.append(f"{where}: a constraint has no extras; [{','.join(sorted(requirement.extras))}] is not used")
        requirement.extras = set()
    return ConstraintLine(requirement=requirement, written=_versions_as_written(text), where=where)


def _versions_as_written(text: str) -> str:
    """The specifier of a requirement's text, without spaces: "numpy >=1.26, <2 ; marker" -> ">=1.26,<2"."""
    before_marker = text.partition(";")[0].partition("@")[0]
    tail = re.sub(r"^[A-Za-z0-9._-]*[A-Za-z0-9]\s*(\[[^\]]*\])?", "", before_marker)
    return re.sub(r"[\s()]", "", tail)


def logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Number and text of each line that says something: continued lines joined, comments left out."""
    parts: list[str] = []
    first = 0
    for number, raw in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        first = first if parts else number
        line = _COMMENT.sub("", raw)
        if line.endswith("\\") and line == raw:
            parts.append(line[:-1])
            continue
        whole = "".join([*parts, line]).strip()
        parts = []
        if whole:
            yield first, whole
    if whole := "".join(parts).strip():
        yield first, whole

"""Reading requirement files as pip does ("Requirements File Format"): includes, continued lines, options, variables.

Each line keeps its place. What pip would refuse is an error here, with file and line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from imgcheck.constraints.lines import logical_lines
from imgcheck.errors import UsageError
from imgcheck.outcome import Location

Kind = Literal["requirement", "address", "editable"]

_NESTED: Final = re.compile(r"(?P<option>-r|--requirement|-c|--constraint)(?:\s*=\s*|\s+|(?<=-[rc]))(?P<path>\S.*)")
_EDITABLE: Final = re.compile(r"(?:-e|--editable)(?:\s*=\s*|\s+)(?P<what>\S.*)")
_LINE_OPTIONS: Final = re.compile(r"\s--(?:hash|config-settings?|global-option)[=\s].*$", re.DOTALL)
_HASH: Final = re.compile(r"\s--hash[=\s]\s*(?P<hash>[a-z0-9]+:\S+)")
_ADDRESS: Final = re.compile(
    r"(?:[a-z][a-z0-9+.-]*://|file:|\.{0,2}/|\.$|[^\s;\[]+\.(?:whl|tar\.gz|zip)(?=\s|;|\[|$))", re.IGNORECASE
)
_EGG: Final = re.compile(r"[#&]egg=(?P<name>[A-Za-z0-9][\w.-]*)")
_WHEEL: Final = re.compile(r"(?P<name>[^/\s-]+)-[^/\s-]+(?:-[^/\s-]+){3,4}\.whl")
_VARIABLE: Final = re.compile(r"\$\{(?P<name>[A-Z0-9_]+)\}")
_GLOBAL: Final = re.compile(
    r"(?:-i|--index-url|--pypi-url|--extra-index-url|--no-index|-f|--find-links|--no-binary|--only-binary|--prefer-binary"
    r"|--require-hashes|--pre|--all-releases|--only-final|--trusted-host|--use-feature|--uploaded-prior-to)(?=[=\s]|$).*",
    re.DOTALL,
)


@dataclass(frozen=True, kw_only=True)
class RequirementLine:
    """One line that asks for a distribution.

    Args:
        kind: by name, by address (URL, VCS or path), or editable.
        text: as written, the line's own options left out.
        requirement: as packaging reads it; None where only an address is given.
        name: canonical; empty where the address does not tell it.
        constraint: it stands in a file that -c names, so it asks for nothing and only limits.
    """

    kind: Kind
    text: str
    where: Location
    requirement: Requirement | None = None
    name: str = ""
    hashes: tuple[str, ...] = ()
    constraint: bool = False

    @property
    def local(self) -> bool:
        """Whether it is a path of this machine, which no image has at the same place."""
        bare = self.text.removeprefix("-e ").removeprefix("--editable ").strip()
        return self.kind != "requirement" and self.requirement is None and "://" not in bare

    @property
    def pinned(self) -> bool:
        """Whether exactly one version meets it: == without a pattern, or ===, or an address."""
        if self.requirement is None or self.requirement.url:
            return True
        clauses = list(self.requirement.specifier)
        return any(
            one.operator == "===" or (one.operator == "==" and not one.version.endswith(".*")) for one in clauses
        )


@dataclass(frozen=True, kw_only=True)
class RequirementFile:
    """A file and all that it includes: lines in order, options as written, and the files that were read."""

    path: Path
    lines: tuple[RequirementLine, ...]
    options: tuple[tuple[str, Location], ...] = ()
    files: tuple[Path, ...] = ()

    @property
    def asked(self) -> tuple[RequirementLine, ...]:
        return tuple(one for one in self.lines if not one.constraint)


def read_requirement_file(path: Path, environ: Mapping[str, str] = os.environ) -> RequirementFile:
    """Reads a file and the files that it includes by -r and -c.

    Raises:
        UsageError: a file is missing or includes itself, or a line cannot be read; with file and line.
    """
    reader = _Reader(environ)
    lines = tuple(reader.read(path, (), constraint=False, origin=None))
    return RequirementFile(
        path=path, lines=lines, options=tuple(reader.options), files=tuple(dict.fromkeys(reader.files))
    )


class _Reader:
    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.options: list[tuple[str, Location]] = []
        self.files: list[Path] = []

    def read(
        self, path: Path, above: tuple[Path, ...], *, constraint: bool, origin: Location | None
    ) -> Iterator[RequirementLine]:
        said = f"{origin}: " if origin else ""
        if path.resolve() in above:
            raise UsageError(f"{said}{path} includes itself", remedy="take the line out")
        text = _text(path, said)
        self.files.append(path)
        for number, line in logical_lines(text):
            where = Location(file=str(path), line=number)
            if "\0" in line:
                raise UsageError(f"{where}: holds a null character", remedy="write the line again")
            yield from self._line(self._expanded(line), path, (*above, path.resolve()), where, constraint=constraint)

    def _expanded(self, line: str) -> str:
        return _VARIABLE.sub(lambda match: self._environ.get(match["name"], match[0]), line)

    def _line(
        self, line: str, path: Path, above: tuple[Path, ...], where: Location, *, constraint: bool
    ) -> Iterator[RequirementLine]:
        nested = _NESTED.fullmatch(line)
        if nested:
            yield from self._nested(nested, path, above, where, constraint=constraint)
        elif _GLOBAL.fullmatch(line):
            self.options.append((line, where))
        elif line.startswith("-") and not _EDITABLE.fullmatch(line):
            raise UsageError(f"{where}: {line.split(maxsplit=1)[0]} is no option of a requirements file")
        else:
            yield parse_requirement_line(line, where, constraint=constraint)

    def _nested(
        self, nested: re.Match[str], path: Path, above: tuple[Path, ...], where: Location, *, constraint: bool
    ) -> Iterator[RequirementLine]:
        written = nested["path"].strip().strip("'\"")
        if re.match(r"[a-z]+://", written):
            raise UsageError(
                f"{where}: {written} is no file here", remedy="copy it beside this one: what it says may change"
            )
        limits = constraint or nested["option"] in ("-c", "--constraint")
        yield from self.read(path.parent / written, above, constraint=limits, origin=where)


def _text(path: Path, said: str) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{said}{path} is not UTF-8, so it is no requirements file") from None
    except OSError as error:
        raise UsageError(f"{said}{path} cannot be read: {error.strerror}") from None


def parse_requirement_line(line: str, where: Location, *, constraint: bool = False) -> RequirementLine:
    """One line that is no option of the whole file.

    Raises:
        UsageError: it is no requirement; with file and line.
    """
    hashes = tuple(match["hash"] for match in _HASH.finditer(line))
    bare = _LINE_OPTIONS.sub("", line).strip()
    editable = _EDITABLE.fullmatch(bare)
    if editable or _ADDRESS.match(bare):
        what = editable["what"] if editable else bare
        kind: Kind = "editable" if editable else "address"
        return RequirementLine(
            kind=kind, text=bare, where=where, name=_name_of(what), hashes=hashes, constraint=constraint
        )
    try:
        requirement = Requirement(bare)
    except InvalidRequirement as error:
        raise UsageError(
            f"{where}: {bare!r} is no requirement: {str(error).partition(chr(10))[0]}",
            remedy="a requirement is a name and versions, as in protobuf>=4.25,<5 (PEP 508)",
        ) from None
    return RequirementLine(
        kind="address" if requirement.url else "requirement",
        text=bare,
        where=where,
        requirement=requirement,
        name=canonicalize_name(requirement.name),
        hashes=hashes,
        constraint=constraint,
    )


def _name_of(address: str) -> str:
    found = _EGG.search(address) or _WHEEL.search(address)
    return canonicalize_name(found["name"].replace("_", "-")) if found else ""

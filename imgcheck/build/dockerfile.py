"""Reading a Dockerfile into instructions with their lines, as BuildKit's parser splits it.

Nothing is expanded here; `imgcheck.build.stages` does that. Lines count from 1.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from imgcheck.build.words import ExpansionError, expand, split_raw
from imgcheck.contract.near_miss import did_you_mean
from imgcheck.errors import UsageError
from imgcheck.there import is_file, is_folder

_DIRECTIVE = re.compile(r"#\s*([A-Za-z][A-Za-z0-9]*)\s*=\s*(.+?)\s*")
_HEREDOC = re.compile(r"\d*<<(-?)([^<]+)")
_WITH_HEREDOCS = frozenset({"ADD", "COPY", "RUN"})


@dataclass(frozen=True, kw_only=True)
class Heredoc:
    name: str
    content: str


@dataclass(frozen=True, kw_only=True)
class Instruction:
    """One instruction. `value` is all after the keyword, continuation lines joined, comments left out.

    Args:
        keyword: in capitals.
        stage: index of the stage it belongs to; None before the first FROM.
    """

    keyword: str
    value: str
    start_line: int
    end_line: int
    stage: int | None = None
    heredocs: tuple[Heredoc, ...] = ()

    @property
    def flags(self) -> dict[str, tuple[str, ...]]:
        """Leading --name=value words, unexpanded, quotes kept; a flag without a value holds the empty word."""
        found: dict[str, tuple[str, ...]] = {}
        for word in split_raw(self.value):
            if not word.startswith("--"):
                break
            name, _, value = word[2:].partition("=")
            found[name] = (*found.get(name, ()), value)
        return found

    @property
    def arguments(self) -> tuple[str, ...]:
        """Words after the flags, unexpanded; of the JSON form, its strings."""
        words = split_raw(self.value)
        rest = words[sum(len(values) for values in self.flags.values()) :]
        listed = _json_form(" ".join(rest))
        return rest if listed is None else listed


@dataclass(frozen=True, kw_only=True)
class Syntax:
    """A file's instructions and its parser directives."""

    file: str
    instructions: tuple[Instruction, ...]
    escape: str = "\\"
    frontend: str = ""


def find_dockerfile(context: Path, given: Path | None) -> Path:
    """The file that -f names, or CONTEXT/Dockerfile.

    Raises:
        UsageError: it is not there; files with near names are told.
    """
    if given is not None and str(given) == "-":
        raise UsageError(
            "-f - : a Dockerfile from standard input has no lines to point at",
            remedy="write it to a file and name that",
        )
    path = context / "Dockerfile" if given is None else given
    if is_file(path):
        return path
    siblings = [one.name for one in sorted(path.parent.iterdir())] if is_folder(path.parent) else []
    candidates = [name for name in siblings if "dockerfile" in name.lower() or "containerfile" in name.lower()]
    guess = did_you_mean(path.name, siblings) or (f"; there is {', '.join(candidates)}" if candidates else "")
    raise UsageError(f"there is no Dockerfile at {path}{guess}", remedy="name it with -f")


def read_syntax(path: Path) -> Syntax:
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: it cannot be read: {error}") from None
    return parse_syntax(text, file=str(path))


def parse_syntax(text: str, *, file: str) -> Syntax:
    """Splits a Dockerfile's text.

    Raises:
        UsageError: a here-document does not end, or an instruction has no value; with file and line.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    directives = _directives(lines)
    escape = directives.get("escape", "\\")
    if escape not in ("\\", "`"):
        raise UsageError(f"{file}:1: # escape={escape}: it must be \\ or `")
    instructions = _Reader(lines=lines, file=file, escape=escape).read()
    return Syntax(file=file, instructions=instructions, escape=escape, frontend=directives.get("syntax", ""))


def _directives(lines: list[str]) -> dict[str, str]:
    """`# name=value` lines at the very top; the first other line ends them."""
    found: dict[str, str] = {}
    for line in lines:
        match = _DIRECTIVE.fullmatch(line.strip())
        if not match:
            break
        found.setdefault(match[1].lower(), match[2])
    return found


class _Reader:
    def __init__(self, *, lines: list[str], file: str, escape: str) -> None:
        self._lines = lines
        self._file = file
        self._escape = escape
        self._next = 0
        letter = re.escape(escape)
        # an escape character before the last one makes that one a plain character
        self._continued = re.compile(rf"(?:^|(?<=[^{letter}])){letter}[ \t]*$")

    def read(self) -> tuple[Instruction, ...]:
        found: list[Instruction] = []
        stage: int | None = None
        while self._next < len(self._lines):
            start = self._next + 1
            text = self._logical_line()
            if not text:
                continue
            written, value = (*text.split(maxsplit=1), "")[:2]
            keyword = written.upper()
            if keyword == "FROM":
                stage = 0 if stage is None else stage + 1
            heredocs = self._heredocs(keyword, value, start)
            found.append(
                Instruction(
                    keyword=keyword,
                    value=value,
                    start_line=start,
                    end_line=self._next,
                    stage=stage,
                    heredocs=heredocs,
                )
            )
        return tuple(found)

    def _logical_line(self) -> str:
        """The next line and all that continue it. Comments and empty lines in between do not end it."""
        text = ""
        first = True
        while self._next < len(self._lines):
            line = self._lines[self._next]
            self._next += 1
            blank = not line.strip() or line.lstrip().startswith("#")
            if blank:
                if first:
                    return ""
                continue
            line = line.lstrip() if first else line
            first = False
            joined = self._continued.sub("", line)
            text += joined
            if joined == line:
                break
        return text.strip()

    def _heredocs(self, keyword: str, value: str, start: int) -> tuple[Heredoc, ...]:
        words = value.split(maxsplit=1)
        if keyword == "ONBUILD" and words:
            return self._heredocs(words[0].upper(), words[1] if len(words) > 1 else "", start)
        if keyword not in _WITH_HEREDOCS or "<<" not in value or _json_form(value) is not None:
            return ()
        matches = (_HEREDOC.fullmatch(word) for word in split_raw(value, escape=self._escape))
        return tuple(self._heredoc(match[2], start, strip_tabs=bool(match[1])) for match in matches if match)

    def _heredoc(self, written: str, start: int, *, strip_tabs: bool) -> Heredoc:
        try:
            name = expand(written, {}, escape=self._escape).text
        except ExpansionError:
            name = written
        content: list[str] = []
        while self._next < len(self._lines):
            line = self._lines[self._next]
            self._next += 1
            line = line.lstrip("\t") if strip_tabs else line
            if line == name:
                return Heredoc(name=name, content="".join(f"{one}\n" for one in content))
            content.append(line)
        raise UsageError(f"{self._file}:{start}: the here-document {name} does not end")


def _json_form(value: str) -> tuple[str, ...] | None:
    """The strings of `["program", "argument"]`; None where it is the shell form."""
    if not value.startswith("["):
        return None
    try:
        parsed = json.loads(value)
    except ValueError:
        return None
    return tuple(parsed) if isinstance(parsed, list) and all(isinstance(one, str) for one in parsed) else None

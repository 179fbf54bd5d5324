"""Words of a Dockerfile line: quotes, escapes and ${VAR:-word}, as BuildKit's own lexer reads them.

The grammar is that of frontend/dockerfile/shell in moby/buildkit; a name without a value gives the empty word.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_NAME = re.compile(r"[A-Za-z_]\w*|\d|[@*#]", re.ASCII)
_OPERATOR = re.compile(r":[-+?]|##|%%|//|[-+?#%/]")
_BLANK = " \t\r\n"


class ExpansionError(ValueError):
    """A substitution that cannot be read, or a ${VAR:?message} whose variable has no value."""


@dataclass(frozen=True, kw_only=True)
class Expanded:
    """A word after expansion, and the names in it that had no value."""

    text: str
    missing: tuple[str, ...] = ()


def expand(text: str, variables: Mapping[str, str], *, escape: str = "\\") -> Expanded:
    """The whole text as one word: quotes removed, variables replaced."""
    scanner = _Scanner(text=text, variables=variables, escape=escape)
    return Expanded(text=scanner.until(""), missing=tuple(scanner.missing))


def split(text: str, variables: Mapping[str, str], *, escape: str = "\\") -> tuple[str, ...]:
    """Words parted at blanks, each expanded."""
    return tuple(expand(word, variables, escape=escape).text for word in split_raw(text, escape=escape))


def split_raw(text: str, *, escape: str = "\\") -> tuple[str, ...]:
    """Words parted at blanks outside quotes and braces, each as it is written."""
    words: list[str] = []
    start: int | None = None
    position = 0
    while position < len(text):
        if text[position] in _BLANK:
            if start is not None:
                words.append(text[start:position])
            start, position = None, position + 1
        else:
            start = position if start is None else start
            position = _after(text, position, escape)
    return (*words, text[start:]) if start is not None else tuple(words)


def _after(text: str, position: int, escape: str) -> int:
    """Where the next unit of a word begins: after a character, an escaped one, a quoted text or a ${…}."""
    letter = text[position]
    if letter == escape:
        return position + 2
    closing = "}" if text.startswith("${", position) else letter if letter in "'\"" else ""
    if not closing:
        return position + 1
    position += 2 if closing == "}" else 1
    while position < len(text) and text[position] != closing:
        literal = closing == "'"
        position = position + 1 if literal else _after_inside(text, position, escape, closing)
    return position + 1


def _after_inside(text: str, position: int, escape: str, closing: str) -> int:
    """As `_after`; a quotation mark of the other kind inside double quotes is a plain character."""
    if closing == '"' and text[position] == "'":
        return position + 1
    return _after(text, position, escape)


@dataclass(kw_only=True)
class _Scanner:
    text: str
    variables: Mapping[str, str]
    escape: str
    position: int = 0
    missing: list[str] = field(default_factory=list)

    def until(self, stop: str) -> str:
        """The text up to an unquoted `stop`, expanded; the position is at it then."""
        parts: list[str] = []
        while self.position < len(self.text) and not (stop and self.text[self.position] == stop):
            parts.append(self._unit())
        return "".join(parts)

    def _unit(self) -> str:
        letter = self._take()
        if letter == "'":
            return self._single_quoted()
        if letter == '"':
            return self._double_quoted()
        if letter == "$":
            return self._substitution()
        if letter == self.escape:
            return self._take()
        return letter

    def _take(self) -> str:
        letter = self.text[self.position : self.position + 1]
        self.position += 1
        return letter

    def _single_quoted(self) -> str:
        end = self.text.find("'", self.position)
        if end < 0:
            raise ExpansionError("a single quote is not closed")
        quoted = self.text[self.position : end]
        self.position = end + 1
        return quoted

    def _double_quoted(self) -> str:
        parts: list[str] = []
        while True:
            letter = self._take()
            if not letter:
                raise ExpansionError("a double quote is not closed")
            if letter == '"':
                return "".join(parts)
            parts.append(self._inside_double_quotes(letter))

    def _inside_double_quotes(self, letter: str) -> str:
        if letter == "$":
            return self._substitution()
        if letter != self.escape:
            return letter
        following = self._take()
        return following if following in ('"', "$", self.escape) else letter + following

    def _substitution(self) -> str:
        """What follows a dollar sign; one before anything but a name stands for itself."""
        braced = self.text.startswith("{", self.position)
        found = _NAME.match(self.text, self.position + braced)
        if not found:
            if braced:
                raise ExpansionError("${ is not followed by a name")
            return "$"
        self.position = found.end()
        return self._braced(found[0]) if braced else self._value(found[0])

    def _value(self, name: str) -> str:
        value = self.variables.get(name)
        if not value:
            self.missing.append(name)
        return value or ""

    def _braced(self, name: str) -> str:
        operator = _OPERATOR.match(self.text, self.position)
        if not operator:
            self._close(name)
            return self._value(name)
        self.position = operator.end()
        if operator[0] in ("/", "//"):
            return self._replaced(name, everywhere=operator[0] == "//")
        word = self.until("}")
        self._close(name)
        return self._operated(name, operator[0], word)

    def _close(self, name: str) -> None:
        if self._take() != "}":
            raise ExpansionError(f"${{{name} is not closed, or holds what is no substitution")

    def _operated(self, name: str, operator: str, word: str) -> str:
        value = self.variables.get(name)
        given = bool(value) if operator.startswith(":") else value is not None
        match operator.lstrip(":"):
            case "-":
                return (value or "") if given else word
            case "+":
                return word if given else ""
            case "?":
                if not given:
                    raise ExpansionError(f"{name}: {word or 'it has no value'}")
                return value or ""
            case _:
                return _trimmed(self._value(name), operator, word)

    def _replaced(self, name: str, *, everywhere: bool) -> str:
        pattern = self.until("/")
        self._take()
        replacement = self.until("}")
        self._close(name)
        return _pattern(pattern).sub(lambda _: replacement, self._value(name), count=0 if everywhere else 1)


def _pattern(glob: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(glob).replace(r"\Z", "").replace(r"\z", ""))


def _trimmed(value: str, operator: str, glob: str) -> str:
    """Without the shortest (# %) or longest (## %%) match of a pattern at the beginning (#) or end (%)."""
    at_start = operator[0] == "#"
    cuts = range(len(value) + 1)
    longest_first = len(operator) == 2
    ends = sorted(cuts, reverse=longest_first == at_start)
    for cut in ends:
        piece = value[:cut] if at_start else value[cut:]
        if fnmatch.fnmatchcase(piece, glob):
            return value[cut:] if at_start else value[:cut]
    return value

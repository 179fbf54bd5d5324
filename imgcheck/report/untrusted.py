"""Text that comes out of an image, made safe to show: nothing in it can move the cursor, or recolour or reorder a line.

Nor can it command a runner that reads logs: GitHub takes `::name` at the beginning of a line, which wrapping can make
of any word, and `##[name` anywhere; Azure takes `##vso[`, TeamCity `##teamcity[`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_COLOUR: Final = re.compile(r"\x1b\[[0-9;:]*m")
_COMMAND: Final = re.compile(r"(?<!\S):(?=:[A-Za-z])|#(?=#(?:vso|teamcity)?\[)")
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_LIVING: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Controls, invisible formats (bidirectional ones among them), lone surrogates, line and paragraph separators."""


def neutral(text: str) -> str:
    """One line: colours dropped, tabs as spaces, every other living character written out as an escape."""
    plain = _COMMAND.sub(_escaped, _COLOUR.sub("", text).expandtabs(4))
    return plain if plain.isascii() and plain.isprintable() else "".join(map(_shown, plain))


def neutral_lines(text: str) -> tuple[str, ...]:
    """Each line of a longer text, empty ones at its ends left out."""
    return tuple(neutral(line.rstrip()) for line in _LINE_END.split(text.strip("\r\n")))


def _escaped(found: re.Match[str]) -> str:
    return f"\\x{ord(found[0]):02x}"


def _shown(character: str) -> str:
    if unicodedata.category(character) not in _LIVING:
        return character
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")

"""What documents show: files under their titles, and commands with the exit code that they are to end with."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

_BLOCK = re.compile(
    r"^(?:<!-- exit (\d+) -->\n)?```(\w*)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Block:
    """A fenced block. `title` is a file's name; `exit` what its last command ends with."""

    language: str
    title: str
    text: str
    exit: int

    @property
    def commands(self) -> tuple[str, ...]:
        """The lines after "$ ", continued by backslashes; what they print is left out."""
        if self.language != "console":
            return ()
        joined = self.text.replace("\\\n", " ")
        return tuple(line[2:] for line in joined.splitlines() if line.startswith("$ "))


def blocks(text: str) -> Iterator[Block]:
    for match in _BLOCK.finditer(text):
        yield Block(language=match[2], title=match[3] or "", text=match[4], exit=int(match[1] or 0))


def words(command: str) -> list[str]:
    return shlex.split(command, comments=True)

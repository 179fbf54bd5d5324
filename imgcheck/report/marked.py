"""Text made safe for GitHub's and GitLab's Markdown: nothing of an image becomes markup, a link, or a mention."""

from __future__ import annotations

import re
from typing import Final

from imgcheck.report.untrusted import neutral

_PUNCTUATION: Final = re.compile(r"([\\`*_{}\[\]()<>#+.!|~^$&:/@=-])")
_REFERENCES: Final = re.compile(r"(\\[@#~!$&]|%)(?=\w)")
_APART: Final = "<!-- -->"
_TICKS: Final = re.compile(r"`+")


def marked(text: object) -> str:
    """One line of prose. Every punctuation that could mean something is escaped; @name and #1 are taken apart."""
    return _REFERENCES.sub(rf"\1{_APART}", _PUNCTUATION.sub(r"\\\1", neutral(str(text))))


def code(text: object) -> str:
    """A code span; in a table's cell as well, for which a bar is written as an entity would be, by a backslash."""
    plain = neutral(str(text)).replace("|", "\\|")
    if not plain.strip():
        return ""
    longest = max((len(run) for run in _TICKS.findall(plain)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{pad}{plain}{pad}{fence}"


def fenced(lines: list[str]) -> str:
    """A code block whose fence is longer than any inside it. The lines are neutral already."""
    longest = max((len(run) for line in lines for run in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join((f"{fence}text", *lines, fence))

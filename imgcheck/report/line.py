"""A report as lines of meaning, before colours and widths. Every text is neutralised on its way in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal

from imgcheck.outcome import CheckState, FindingState
from imgcheck.report.untrusted import neutral

Role = Literal[
    "plain", "strong", "dim", "fix", "kept", "broken", "unverified", "skipped", "error", "inherited", "waived", "warned"
]
State = CheckState | FindingState
INDENT: Final = "  "
_LABEL_WIDTH: Final = 9

_SYMBOLS: Final[Mapping[str, str]] = {
    "kept": "✓",
    "broken": "✗",
    "unverified": "?",
    "skipped": "-",
    "error": "!",
    "inherited": "=",
    "waived": "~",
    "warned": "*",
}


@dataclass(frozen=True)
class Span:
    """Text that means one thing."""

    text: str
    role: Role = "plain"


@dataclass(frozen=True)
class Line:
    """A head that is never wrapped, and a body that wraps beside it, each further row after `hang`."""

    head: tuple[Span, ...] = ()
    body: tuple[Span, ...] = ()
    hang: str = ""

    @property
    def text(self) -> str:
        return "".join(span.text for span in (*self.head, *self.body)).rstrip()


EMPTY: Final = Line()


def span(text: object, role: Role = "plain") -> Span:
    return Span(neutral(str(text)), role)


def line(*body: Span, head: Iterable[Span] = (), hang: str | None = None) -> Line:
    """A line whose further rows start below its body's first."""
    first = tuple(head)
    width = sum(len(one.text) for one in first)
    return Line(first, body, " " * width if hang is None else hang)


def row(label: str, *body: Span, indent: str = INDENT) -> Line:
    """A quiet label, and what it labels."""
    return line(*body, head=[Span(f"{indent}{label:<{_LABEL_WIDTH}}{INDENT}", "dim")])


def role_of(state: State) -> Role:
    """A state's own role; the two enumerations use the same words."""
    roles: Mapping[Enum, Role] = {
        CheckState.KEPT: "kept",
        CheckState.BROKEN: "broken",
        CheckState.UNVERIFIED: "unverified",
        CheckState.SKIPPED: "skipped",
        CheckState.ERROR: "error",
        FindingState.BROKEN: "broken",
        FindingState.INHERITED: "inherited",
        FindingState.WAIVED: "waived",
        FindingState.WARNED: "warned",
        FindingState.UNVERIFIED: "unverified",
    }
    return roles[state]


def symbol(state: State) -> str:
    return _SYMBOLS[state.value]

"""Where a builder stopped, whichever it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_TITLE_LENGTH: Final = 100
DID_NOT_COMPLETE: Final = "did not complete successfully"
"""In the reason of a step whose command failed."""


@dataclass(frozen=True, kw_only=True)
class FailedStep:
    """Where the builder stopped.

    Args:
        title: the step as the builder shows it, without its counter.
        log: what the step wrote.
        line: of the user's Dockerfile; None where it is not about that.
        reason: the builder's last word.
        derived: it was the derived base's, not the user's.
    """

    title: str
    log: str
    line: int | None
    reason: str
    derived: bool = False


def shortened(title: str) -> str:
    """A step's instruction as a message can hold it."""
    return title if len(title) <= _TITLE_LENGTH else f"{title[: _TITLE_LENGTH - 1]}…"

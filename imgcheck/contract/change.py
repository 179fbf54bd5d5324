"""What a freeze did, one value for each thing that differs or was left out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ChangeKind(str, Enum):
    """`NOT_PINNED` and `SHADOWED` change nothing in the contract; they tell what it does not promise."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    NOT_PINNED = "not pinned"
    SHADOWED = "shadowed"


@dataclass(frozen=True, kw_only=True)
class Change:
    """`name` is a distribution, "python", "base.image" or "base.digest"; `note` says why, or what went along."""

    kind: ChangeKind
    name: str
    old: str = ""
    new: str = ""
    note: str = ""

    def __str__(self) -> str:
        states = " -> ".join(filter(None, (self.old, self.new)))
        told = " ".join(filter(None, (self.name, states)))
        return f"{self.kind.value}: {told}" + (f" ({self.note})" if self.note else "")


def shown(text: str) -> str:
    """Text out of an image, safe in a comment and on a terminal."""
    return text.encode("unicode_escape").decode("ascii")

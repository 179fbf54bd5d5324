"""How counts and times are told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_STAMP: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)\S*")
_SINGULAR: Final[Mapping[str, str]] = {"ies": "y", "ches": "ch", "sses": "ss", "s": ""}


def counted(number: int, plural: str) -> str:
    """As in "1 module" and "5,312 modules"; the unit's first word is the one that is counted."""
    return f"{number:,} {singular(plural) if number == 1 else plural}".rstrip()


def singular(plural: str) -> str:
    first, *rest = plural.split(" ")
    ending = next((one for one in _SINGULAR if first.endswith(one)), "")
    return " ".join((first.removesuffix(ending) + _SINGULAR.get(ending, ""), *rest))


def duration(seconds: float) -> str:
    """As in "0.4 s", "41 s" and "3 min 5 s"."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def moment(stamp: str) -> str:
    """An ISO 8601 time to the minute; anything else as it is."""
    match = _STAMP.fullmatch(stamp)
    return f"{match[1]} {match[2]}" if match else stamp


def short_digest(digest: str) -> str:
    """Enough of a digest to recognise it by."""
    algorithm, colon, value = digest.partition(":")
    return f"{algorithm}:{value[:12]}" if colon else digest

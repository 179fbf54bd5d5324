"""Numbers with their nouns, as sentences need them."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """As in "1 file", "2,000 files"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def verb(number: int, one: str, many: str) -> str:
    return one if number == 1 else many

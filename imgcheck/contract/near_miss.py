"""What somebody probably meant: the one place that guesses, so that every message guesses alike."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def near_miss(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` is most likely a slip of; None where none is near."""
    by_lower = {one.lower(): one for one in sorted(known, reverse=True)}
    close = get_close_matches(word.lower(), sorted(by_lower), n=1, cutoff=0.6)
    return by_lower[close[0]] if close else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message: "; did you mean 'probes'?", or nothing."""
    meant = near_miss(word, known)
    return f"; did you mean {meant!r}?" if meant else ""

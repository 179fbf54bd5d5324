"""Names of C++ symbols, made readable, and whose they are."""

from __future__ import annotations

import re
from typing import Final

from imgcheck.diagnosis.known_modules import SYMBOL_OWNERS

_NESTED: Final = re.compile(r"_Z(?:T[VTIS])?(?:N[rVK]*[RO]?)?(?=\d)")
_PART: Final = re.compile(r"(\d+)")


def readable(symbol: str) -> str:
    """`_ZN3c105ErrorC1Ev` -> `c10::Error`; what is not a plain nested name (Itanium C++ ABI, 5.1) stays as it is."""
    names = _names(symbol)
    return "::".join(names) if names else symbol


def owner_of(symbol: str) -> str:
    """The distribution whose namespace a symbol is in; empty where that is not known."""
    names = _names(symbol)
    return SYMBOL_OWNERS.get(names[0], "") if len(names) > 1 else ""


def _names(symbol: str) -> list[str]:
    start = _NESTED.match(symbol)
    names: list[str] = []
    place = start.end() if start else len(symbol)
    while found := _PART.match(symbol, place):
        length = int(found[1])
        name = symbol[found.end() : found.end() + length]
        if len(name) < length:
            return []
        names.append(name)
        place = found.end() + length
    return names

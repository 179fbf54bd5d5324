"""Whether modules come with their bytecode: torch without it takes 2.4 times as much to import (IMPORTS.md)."""

from __future__ import annotations

import os
from typing import Iterable

from imgcheck.collector.modules import Module

_LOOKED_AT = 200
_FEW = 0.5
_WORD = 0xFFFFFFFF


def brings_bytecode(modules: Iterable[Module]) -> bool:
    """A cheap look at some of them. Bytecode that its source has outlived counts for nothing: it is not used."""
    sources = [one["path"] for one in modules if one["path"].endswith(".py")]
    some = sources[:: max(1, len(sources) // _LOOKED_AT)]
    return sum(map(_is_compiled, some)) >= len(some) * _FEW


def _is_compiled(source: str) -> bool:
    folder, name = os.path.split(source)
    cache = os.path.join(folder, "__pycache__")
    try:
        found = [one for one in os.listdir(cache) if one.startswith(name[:-2]) and one.endswith(".pyc")]
        return any(_is_of(os.path.join(cache, one), os.stat(source)) for one in found)
    except OSError:
        return False


def _is_of(bytecode: str, source: os.stat_result) -> bool:
    """PEP 552: after the magic number a word of flags, 0 where time and size of the source follow."""
    with open(bytecode, "rb") as file:
        head = file.read(16)
    flags, moment, size = (int.from_bytes(head[place : place + 4], "little") for place in (4, 8, 12))
    return len(head) == 16 and (flags != 0 or (moment, size) == (int(source.st_mtime) & _WORD, source.st_size & _WORD))

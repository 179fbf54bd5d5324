"""Whether the kernel can start a program file: its machine, and the loader that it names (execve(2), elf(5)).

Floor: Python 3.8.
"""

from __future__ import annotations

import functools
import os
import struct
from typing import Optional, Tuple

from imgcheck.collector.native_elf import INTERP, MAGIC, machine_of, segments

_LONGEST = 4096  # bytes that hold the headers of a program
_STARTED_BESIDE = {("x86_64", "i386"), ("aarch64", "arm")}  # 32-bit programs, which such kernels start as well
Reason = Optional[Tuple[str, str]]


@functools.lru_cache(maxsize=None)  # most scripts name the same interpreter
def why_not_started(path: str) -> Reason:
    """A state of scripts.py and what it is about; None for what starts, what is no ELF file, or cannot be read."""
    try:
        with open(path, "rb") as file:
            start = file.read(_LONGEST)
            if not start.startswith(MAGIC):
                return None
            machine, own = machine_of(start), _own_machine()
            if own and machine != own and (own, machine) not in _STARTED_BESIDE:
                return "other-machine", machine
            place = next(((offset, size) for kind, _, offset, size in segments(start) if kind == INTERP), None)
            if place is None:  # a static program
                return None
            file.seek(place[0])
            loader = file.read(min(place[1], _LONGEST)).split(b"\0")[0].decode("utf-8", "surrogateescape")
    except (OSError, struct.error, IndexError, OverflowError, ValueError):
        return None
    return ("loader-absent", loader) if loader and not os.path.exists(loader) else None


@functools.lru_cache(maxsize=None)
def _own_machine() -> str:
    """Of the interpreter that runs this; empty where it cannot be told."""
    try:
        with open("/proc/self/exe", "rb") as file:
            start = file.read(64)
    except OSError:
        return ""
    return machine_of(start) if start.startswith(MAGIC) else ""

"""Whether the kernel can start a program file: its machine, and the loader that it names (execve(2), elf(5)).

Floor: Python 3.8.
"""

from __future__ import annotations

import os
import struct
import sys

from imgcheck.collector.native_elf import MACHINES

_INTERP = 3
_MOST_HEADERS = 64
_LONGEST = 4096
_STARTED_BESIDE = {("x86_64", "i386"), ("aarch64", "arm")}  # 32-bit programs, which such kernels start as well


def why_not_started(path: str) -> tuple[str, str] | None:
    """A state of scripts.py and what it is about; None for what starts, what is no ELF file, or cannot be read."""
    try:
        with open(path, "rb") as file:
            start = file.read(_LONGEST)
            if start[:4] != b"\x7fELF":
                return None
            machine, own = _machine(start), _own_machine()
            if own and machine != own and (own, machine) not in _STARTED_BESIDE:
                return "other-machine", machine
            place = _loader_place(start)
            if place is None:
                return None
            file.seek(place[0])
            loader = file.read(min(place[1], _LONGEST)).split(b"\0")[0].decode("utf-8", "surrogateescape")
    except (OSError, struct.error, IndexError, OverflowError, ValueError):
        return None
    return ("loader-absent", loader) if loader and not os.path.exists(loader) else None


def _order(start: bytes) -> str:
    return ">" if start[5] == 2 else "<"


def _machine(start: bytes) -> str:
    (number,) = struct.unpack_from(_order(start) + "H", start, 18)
    return MACHINES.get(number, f"machine {number}")


def _own_machine() -> str:
    """Of the interpreter that runs this; empty where it cannot be told."""
    try:
        with open("/proc/self/exe", "rb") as file:
            start = file.read(64)
    except OSError:
        return ""
    return _machine(start) if start[:4] == b"\x7fELF" and sys.platform == "linux" else ""


def _loader_place(start: bytes) -> tuple[int, int] | None:
    """Where the PT_INTERP segment lies in the file, and its length; None in a static program."""
    order, wide = _order(start), start[4] == 2
    (table,) = struct.unpack_from(order + ("Q" if wide else "I"), start, 32 if wide else 28)
    size, count = struct.unpack_from(order + "HH", start, 54 if wide else 42)
    for index in range(min(count, _MOST_HEADERS)):
        header = table + index * size
        (kind,) = struct.unpack_from(order + "I", start, header)
        if kind == _INTERP and wide:
            offset, _, _, length = struct.unpack_from(order + "QQQQ", start, header + 8)
            return offset, length
        if kind == _INTERP:
            offset, _, _, length = struct.unpack_from(order + "IIII", start, header + 4)
            return offset, length
    return None

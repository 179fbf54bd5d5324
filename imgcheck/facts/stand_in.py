"""A shared library made of names alone, in the place of the GPU driver's, for the time of one check.

It exports functions that do nothing but return an error, so that the loader is content and what is imported goes on;
what is then said of a GPU is true of nothing. It has no section headers: it can be loaded, and nothing can be linked
to it.
The format: System V ABI, chapters 4 and 5 (https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final

# Machine as uname names it -> e_machine.
_MACHINES: Final[dict[str, int]] = {"x86_64": 62, "aarch64": 183}

_HEADER, _SEGMENT, _SYMBOL, _ENTRY = 64, 56, 24, 16
_SEGMENTS: Final = 4
_PAGE: Final = 0x10000
"""aarch64 kernels have pages of up to 64 KiB; a segment that is writable begins on one of its own."""
_LOAD, _DYNAMIC, _STACK = 1, 2, 0x6474E551
_READ_EXECUTE, _READ_WRITE = 5, 6
_GLOBAL_FUNCTION, _DEFINED = 0x12, 1
_NULL, _HASH, _STRINGS, _SYMBOLS, _STRINGS_SIZE, _SYMBOL_SIZE, _SONAME = 0, 4, 5, 6, 10, 11, 14


def can_stand_in(machine: str) -> bool:
    return machine in _MACHINES


def stand_in(soname: str, symbols: Iterable[str], machine: str, result: int) -> bytes:
    """A shared object for glibc and musl whose functions all return `result`.

    Args:
        soname: the name that the loader knows it by.
        symbols: the functions' names.
        machine: one that `can_stand_in`.
        result: 0 to 32,767.
    """
    names = [one.encode("utf-8", "surrogateescape") for one in sorted(set(symbols))]
    strings = b"\0" + b"\0".join([soname.encode(), *names]) + b"\0"
    table = _hash_table(names)
    code = _code(machine, result)
    hash_at = _HEADER + _SEGMENTS * _SEGMENT
    symbols_at = _aligned(hash_at + len(table), 8)
    strings_at = symbols_at + _SYMBOL * (len(names) + 1)
    code_at = _aligned(strings_at + len(strings), 16)
    end = code_at + len(code)
    dynamic_at = _aligned(end, _PAGE)
    dynamic = _dynamic(
        (_SONAME, 1),
        (_HASH, hash_at),
        (_STRINGS, strings_at),
        (_SYMBOLS, symbols_at),
        (_STRINGS_SIZE, len(strings)),
        (_SYMBOL_SIZE, _SYMBOL),
        (_NULL, 0),
    )
    parts = (
        (0, _header(machine)),
        (_HEADER, _segments(end, dynamic_at, len(dynamic))),
        (hash_at, table),
        (symbols_at, _symbol_table(names, 2 + len(soname), code_at, len(code))),
        (strings_at, strings),
        (code_at, code),
        (dynamic_at, dynamic),
    )
    image = bytearray(dynamic_at + len(dynamic))
    for place, data in parts:
        image[place : place + len(data)] = data
    return bytes(image)


def _aligned(place: int, boundary: int) -> int:
    return -(-place // boundary) * boundary


def _header(machine: str) -> bytes:
    identity = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")  # 64 bits, little-endian, version 1
    shared_object, version = 3, 1
    return identity + struct.pack(
        "<HHIQQQIHHHHHH",
        shared_object,
        _MACHINES[machine],
        version,
        0,
        _HEADER,
        0,
        0,
        _HEADER,
        _SEGMENT,
        _SEGMENTS,
        0,
        0,
        0,
    )


def _segments(end: int, dynamic_at: int, size: int) -> bytes:
    rows = (
        (_LOAD, _READ_EXECUTE, 0, end, _PAGE),
        (_LOAD, _READ_WRITE, dynamic_at, size, _PAGE),
        (_DYNAMIC, _READ_WRITE, dynamic_at, size, 8),
        (_STACK, _READ_WRITE, 0, 0, 16),
    )
    return b"".join(
        struct.pack("<IIQQQQQQ", kind, flags, place, place, place, length, length, boundary)
        for kind, flags, place, length, boundary in rows
    )


def _dynamic(*entries: tuple[int, int]) -> bytes:
    return b"".join(struct.pack("<qQ", tag, value) for tag, value in entries)


def _symbol_table(names: Sequence[bytes], first: int, code_at: int, size: int) -> bytes:
    """All functions are the same code; `first` is where the first name is among the strings."""
    places = accumulate((len(name) + 1 for name in names[:-1]), initial=first)
    rows = (struct.pack("<IBBHQQ", place, _GLOBAL_FUNCTION, 0, _DEFINED, code_at, size) for place in places)
    return bytes(_SYMBOL) + b"".join(rows if names else ())


def _hash_table(names: Sequence[bytes]) -> bytes:
    """DT_HASH: for each bucket the first symbol, for each symbol the next of its bucket."""
    count = max(1, len(names) // 2)
    buckets, chain = [0] * count, [0] * (len(names) + 1)
    for number, name in enumerate(names, 1):
        bucket = _hash(name) % count
        chain[number], buckets[bucket] = buckets[bucket], number
    return struct.pack(f"<{2 + count + len(chain)}I", count, len(chain), *buckets, *chain)


def _hash(name: bytes) -> int:
    value = 0
    for character in name:
        value = (value << 4) + character
        high = value & 0xF0000000
        value = (value ^ (high >> 24)) & 0x0FFFFFFF
    return value


def _code(machine: str, result: int) -> bytes:
    """`mov eax, result; ret` (Intel SDM) or `mov w0, #result; ret` (Arm ARM)."""
    if machine == "x86_64":
        return b"\xb8" + struct.pack("<I", result) + b"\xc3"
    return struct.pack("<II", 0x52800000 | (result << 5), 0xD65F03C0)

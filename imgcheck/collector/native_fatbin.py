"""GPU code inside a CUDA binary: for which architectures, as machine code or PTX, told from the headers alone.

A `.nv_fatbin` section holds containers back to back, each the variants of one compilation: a 16-byte header, then
entries with a header of their own. Payloads may be compressed, headers never are, so that nothing is decompressed and
no page of a payload is read. The layout has no public description; it was read from files that nvcc 11 to 13 wrote, and
what is read is compared with NVIDIA's cuobjdump in benchmarks/native.py. `__nv_relfatbin` holds objects from before
linking, which are never loaded, and is passed over as cuobjdump does.
Floor: Python 3.8.
"""

from __future__ import annotations

import struct
from typing import Any, Dict, Iterator

from imgcheck.collector.native_elf import Data, sections

SECTION = ".nv_fatbin"
_MAGIC = 0xBA55ED50
_MAGIC_BYTES = struct.pack("<I", _MAGIC)
_HEADER = struct.Struct("<IHHQ")  # magic, version, size of this header, size of all that follows
_ENTRY = struct.Struct("<HHIQIIHHIIIQ")  # kind .. flags
_LEAST_ENTRY = 64
_KINDS = {1: "ptx", 2: "sass", 8: "lto"}
_EXACT, _FAMILY = 0x100000, 0x200000
_MOST_KINDS = 500

Facts = Dict[str, Any]


def gpu_code(data: Data) -> Facts | None:
    """Containers by what they hold: {"containers": [{"entries": [(kind, architecture, version)], "count"}], "problem"}.

    None where the file has no such section. An architecture is as nvcc writes it behind `sm_`: 80, 90a, 100f. The
    version is that of the PTX instruction set, or of the machine code's format.
    """
    try:
        places = [(start, start + size) for name, start, size in sections(data) if name == SECTION]
    except (struct.error, ValueError) as error:
        return {"containers": [], "problem": f"its sections cannot be read: {error}"}
    if not places:
        return None
    counts: dict[tuple[tuple[str, str, str], ...], int] = {}
    problem = ""
    try:
        for start, end in places:
            for entries in _containers(data, start, end):
                counts[entries] = counts.get(entries, 0) + 1
    except (struct.error, ValueError) as error:
        problem = f"its GPU code cannot be read to its end: {error}"
    kinds = sorted(counts.items())
    return {
        "containers": [{"entries": list(entries), "count": count} for entries, count in kinds[:_MOST_KINDS]],
        "problem": problem,
    }


def _containers(data: Data, start: int, end: int) -> Iterator[tuple[tuple[str, str, str], ...]]:
    place = start
    while place < end:
        if data[place : place + 4] != _MAGIC_BYTES:  # zeros up to the next multiple of eight
            place = data.find(_MAGIC_BYTES, place, end)
            if place < 0:
                return
        _, version, header, size = _HEADER.unpack_from(data, place)
        following = place + header + size
        if version != 1 or header < _HEADER.size or following > end or following <= place:
            raise ValueError(f"an unknown container at {place:#x}")
        yield tuple(sorted(_entries(data, place + header, following)))
        place = following


def _entries(data: Data, place: int, end: int) -> Iterator[tuple[str, str, str]]:
    while place + _LEAST_ENTRY <= end:
        kind, _, header, size, _, _, minor, major, arch, _, _, flags = _ENTRY.unpack_from(data, place)
        if not _LEAST_ENTRY <= header <= 1 << 20 or size > end - place:
            raise ValueError(f"an unknown entry at {place:#x}")
        suffix = "a" if flags & _EXACT else "f" if flags & _FAMILY else ""
        yield _KINDS.get(kind, f"kind {kind}"), f"{arch}{suffix}", f"{major}.{minor}"
        place += header + size

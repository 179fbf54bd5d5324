"""One ELF file as the dynamic loader sees it: what it needs, what it searches, what it exports. Nothing is executed.

Read through the program headers and the dynamic segment, as the loader does, so that files without section headers are
read as well. Source of the layout: System V ABI, chapters 4 and 5 (gABI), and for versions and the GNU hash table the
Linux Standard Base, "Symbol Versioning", and elf.h of glibc. Only 64-bit little-endian files are read further than
their first bytes: no interpreter that the collector knows runs on others.
Floor: Python 3.8 (which rules out pyelftools for this side; the tests compare with it).
"""

from __future__ import annotations

import mmap
import os
import struct
from typing import Any, Iterator, Sequence, Union

MAGIC = b"\x7fELF"
MACHINES = {3: "i386", 40: "arm", 62: "x86_64", 183: "aarch64", 190: "cuda", 243: "riscv64", 21: "ppc64le", 22: "s390x"}
_SHARED, _EXECUTABLE = 3, 2
_LOAD, _DYNAMIC, INTERP = 1, 2, 3
_NEEDED, _HASH, _STRTAB, _SYMTAB, _STRSZ, _SONAME, _RPATH, _RUNPATH = 1, 4, 5, 6, 10, 14, 15, 29
_GNU_HASH, _FLAGS_1 = 0x6FFFFEF5, 0x6FFFFFFB
_VERDEF, _VERDEFNUM, _VERNEED, _VERNEEDNUM = 0x6FFFFFFC, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF
_NODEFLIB, _PIE = 0x800, 0x8000000
_GLOBAL, _WEAK, _UNIQUE = 1, 2, 10
_WEAK_VERSION = 2
_MOST_VERSIONS = 1 << 17
_MOST = 1 << 22  # symbols, versions, sections and entries of a table that are believed: a sparse file has no end

Data = Union[bytes, mmap.mmap]


class Elf:
    """What is told of one file. `problem` says why it could not be read to its end, `origin` is what $ORIGIN means."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.origin = os.path.dirname(path)
        self.machine = ""
        self.bits = 64
        self.program = False
        self.interpreter = ""
        self.soname = ""
        self.needed: list[str] = []
        self.rpath: list[str] = []
        self.runpath: list[str] = []
        self.no_default = False
        self.needed_versions: dict[str, list[str]] = {}
        self.defined_versions: set[str] = set()
        self.undefined: list[bytes] = []
        self.defined: set[bytes] = set()
        self.problem = ""
        self.gpu: dict[str, Any] | None = None

    @property
    def names(self) -> list[str]:
        """By which others may ask for it."""
        return [self.soname or os.path.basename(self.path), os.path.basename(self.path)]


def open_elf(path: str) -> mmap.mmap | None:
    """The file's bytes, mapped; None where it is no ELF file. Raises OSError."""
    with open(path, "rb") as file:
        if file.read(4) != MAGIC:
            return None
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def read_elf(data: Data, path: str) -> Elf:
    """All that is told of one file's bytes; damage is told in `problem`, with what was read before it."""
    elf = Elf(path)
    try:
        _read(data, elf)
    except (struct.error, ValueError, IndexError, OverflowError) as error:
        elf.problem = f"it is cut off or damaged: {error}"
    return elf


def sections(data: Data) -> list[tuple[str, int, int]]:
    """(name, offset, size) of the sections that lie in the file; none where the section headers were stripped.

    Raises:
        ValueError, struct.error: the headers are damaged.
    """
    (start,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    if not start or size < 64 or start + size * max(count, 1) > len(data):
        return []
    if count == 0:
        (count,) = struct.unpack_from("<Q", data, start + 0x20)
    if names == 0xFFFF:
        (names,) = struct.unpack_from("<I", data, start + 0x28)
    if count * size > len(data) - start or names >= count:
        return []
    if count > _MOST:
        raise ValueError(f"it claims {count:,} sections")
    raw = [struct.unpack_from("<IIQQQQ", data, start + index * size) for index in range(count)]
    text = data[raw[names][4] : raw[names][4] + raw[names][5]]
    no_bits = 8
    return [
        (_string(text, name), offset, length)
        for name, kind, _, _, offset, length in raw
        if kind != no_bits and offset + length <= len(data)
    ]


def _read(data: Data, elf: Elf) -> None:
    elf.bits = 64 if data[4] == 2 else 32
    elf.machine = machine_of(data)
    (kind,) = struct.unpack_from(_order(data) + "H", data, 16)
    if elf.bits != 64 or data[5] != 1 or kind not in (_SHARED, _EXECUTABLE):
        return
    found = list(segments(data))
    loads = [(address, offset, size) for segment, address, offset, size in found if segment == _LOAD]
    for segment, _, offset, size in found:
        if segment == INTERP:
            elf.interpreter = data[offset : offset + size].split(b"\0")[0].decode("utf-8", "surrogateescape")
    elf.program = bool(elf.interpreter) or kind == _EXECUTABLE
    dynamic = next(((offset, size) for segment, _, offset, size in found if segment == _DYNAMIC), None)
    if dynamic is not None:
        _Dynamic(data, loads, dynamic).tell(elf)


def machine_of(data: Data) -> str:
    (number,) = struct.unpack_from(_order(data) + "H", data, 18)
    return MACHINES.get(number, f"machine {number}")


def segments(data: Data) -> Iterator[tuple[int, int, int, int]]:
    """(kind, address, offset, size in the file) of each program header, of either class and byte order."""
    order, wide = _order(data), data[4] == 2
    (start,) = struct.unpack_from(order + ("Q" if wide else "I"), data, 32 if wide else 28)
    size, count = struct.unpack_from(order + "HH", data, 54 if wide else 42)
    for index in range(count):
        place = start + index * size
        if wide:
            kind, _, offset, address, _, length = struct.unpack_from(order + "IIQQQQ", data, place)
        else:
            kind, offset, address, _, length = struct.unpack_from(order + "IIIII", data, place)
        yield kind, address, offset, length


def _order(data: Data) -> str:
    return "<" if data[5] == 1 else ">"


class _Dynamic:
    """The dynamic segment, and the tables it leads to."""

    def __init__(self, data: Data, loads: Sequence[tuple[int, int, int]], place: tuple[int, int]) -> None:
        self._data = data
        self._loads = loads
        self._tags: dict[int, list[int]] = {}
        offset, size = place
        for tag, value in struct.iter_unpack("<qQ", data[offset : offset + size // 16 * 16]):
            if tag == 0:
                break
            self._tags.setdefault(tag, []).append(value)
        start = self._offset(_STRTAB) if _STRTAB in self._tags else 0
        self._strings = bytes(data[start : start + self._first(_STRSZ)]) if start else b""

    def tell(self, elf: Elf) -> None:
        if not self._strings:
            return
        elf.needed = [self._string(one) for one in self._tags.get(_NEEDED, ())]
        elf.soname = self._string(self._first(_SONAME)) if _SONAME in self._tags else ""
        elf.rpath = self._paths(_RPATH)
        elf.runpath = self._paths(_RUNPATH)
        elf.no_default = bool(self._first(_FLAGS_1) & _NODEFLIB)
        elf.program = elf.program or bool(self._first(_FLAGS_1) & _PIE)
        elf.needed_versions = dict(self._needed_versions())
        elf.defined_versions = set(self._defined_versions())
        self._tell_symbols(elf)

    def _first(self, tag: int) -> int:
        return self._tags.get(tag, [0])[0]

    def _offset(self, tag: int) -> int:
        """Where in the file a table lies that the loader finds by its address."""
        address = self._first(tag)
        for start, offset, size in self._loads:
            if start <= address < start + size:
                return address - start + offset
        raise ValueError("a table lies outside the file")

    def _string(self, offset: int) -> str:
        return _string(self._strings, offset)

    def _paths(self, tag: int) -> list[str]:
        return [path for one in self._tags.get(tag, ()) for path in self._string(one).split(":")]

    def _needed_versions(self) -> Iterator[tuple[str, list[str]]]:
        """Library -> versions that it must define; what the linker marked as weak is not demanded (VER_FLG_WEAK)."""
        place = self._offset(_VERNEED) if _VERNEED in self._tags else 0
        steps = 0
        for _ in range(min(self._first(_VERNEEDNUM), _MOST) if place else 0):
            _, count, file, first, following = struct.unpack_from("<HHIII", self._data, place)
            one, names = place + first, []
            for _ in range(count):
                _, flags, _, name, further = struct.unpack_from("<IHHII", self._data, one)
                if not flags & _WEAK_VERSION:
                    names.append(self._string(name))
                one += further
                steps += 1
                if not further:  # the last of its list, whatever their count is said to be
                    break
            if steps > _MOST_VERSIONS:
                raise ValueError("its versions have no end")
            yield self._string(file), names
            if not following:
                break
            place += following

    def _defined_versions(self) -> Iterator[str]:
        place = self._offset(_VERDEF) if _VERDEF in self._tags else 0
        for _ in range(min(self._first(_VERDEFNUM), _MOST) if place else 0):
            _, _, _, _, _, first, following = struct.unpack_from("<HHHHIII", self._data, place)
            yield self._string(struct.unpack_from("<I", self._data, place + first)[0])
            if not following:
                break
            place += following

    def _tell_symbols(self, elf: Elf) -> None:
        count = min(self._symbols(), _MOST) if _SYMTAB in self._tags else 0
        start = self._offset(_SYMTAB) if count else 0
        strings, end = self._strings, self._strings.find
        table = self._data[start : start + count * 24]
        for name, info, _, section, _, _ in struct.iter_unpack("<IBBHQQ", table[: len(table) // 24 * 24]):
            binding = info >> 4
            if not name or binding not in (_GLOBAL, _WEAK, _UNIQUE):
                continue
            text = strings[name : end(b"\0", name)]
            if section:
                elf.defined.add(text)
            elif binding == _GLOBAL:
                elf.undefined.append(text)

    def _symbols(self) -> int:
        """How many there are: told by the older hash table, or by where the last chain of the GNU one ends."""
        if _HASH in self._tags:
            return int(struct.unpack_from("<II", self._data, self._offset(_HASH))[1])
        if _GNU_HASH not in self._tags:
            return 0
        table = self._offset(_GNU_HASH)
        buckets, first, bloom, _ = struct.unpack_from("<IIII", self._data, table)
        start = table + 16 + bloom * 8
        last = max(struct.unpack_from(f"<{buckets}I", self._data, start), default=0)
        if last < first:
            return int(first)
        chains = start + buckets * 4
        for one in range(last, last + _MOST):
            if struct.unpack_from("<I", self._data, chains + (one - first) * 4)[0] & 1:
                return int(one) + 1
        raise ValueError("a chain of its symbol hash has no end")


def _string(text: bytes, offset: int) -> str:
    return text[offset : text.index(b"\0", offset)].decode("utf-8", "surrogateescape")

"""Where the dynamic loader finds a library: ld.so(8), "dlopen(3)", and for Alpine's musl its own rules.

glibc: DT_RPATH of the file that needs it and of those that loaded that one, unless it has DT_RUNPATH; LD_LIBRARY_PATH;
DT_RUNPATH of the file itself; ld.so.cache; the default folders. A library that is in the process already is taken by
its name. musl: LD_LIBRARY_PATH, both paths of the file and of its loaders, then its system path.
A file of another machine is passed over, as the loader does.
Floor: Python 3.8.
"""

from __future__ import annotations

import os
import struct
from collections import deque
from typing import Dict, Iterator, Sequence

from imgcheck.collector.native_elf import Elf, open_elf, read_elf
from imgcheck.collector.native_fatbin import gpu_code

_CACHE_MAGIC = b"glibc-ld.so.cache1.1"
_CACHE_LIMIT = 1 << 26
_MULTIARCH = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu"}
_MUSL_DEFAULT = "/lib:/usr/local/lib:/usr/lib"

Loaded = Dict[str, "Elf"]


class Found:
    """Where a library was found, and by which rule: loaded, path, rpath, environment, runpath, cache, default."""

    def __init__(self, elf: Elf, how: str) -> None:
        self.elf = elf
        self.how = how


class Closure:
    """All that loading one file brings in, in the loader's order (breadth first), and what it does not find."""

    def __init__(self, first: Elf) -> None:
        self.files: list[Elf] = [first]
        self.direct: dict[str, Found | None] = {}
        self.missing: list[tuple[str, Elf]] = []
        self.by_name: Loaded = {}


class Library:
    """ELF files of this machine, each read once."""

    def __init__(self) -> None:
        self._read: dict[str, Elf | None] = {}
        self._real: dict[str, str] = {}

    def get(self, path: str) -> Elf | None:
        """A file by the path it is opened with; None where there is none, or no ELF file."""
        real = self._real.get(path)
        if real is None:
            real = self._real[path] = os.path.realpath(path)
        if real not in self._read:
            self._read[real] = self._open(real, path)
        return self._read[real]

    @staticmethod
    def _open(real: str, path: str) -> Elf | None:
        try:
            data = open_elf(real)
        except (OSError, ValueError):
            return None
        if data is None:
            return None
        with data:
            elf = read_elf(data, real)
            elf.gpu = gpu_code(data) if elf.bits == 64 and not elf.problem else None
        elf.origin = os.path.dirname(path)  # as it is opened: the loader does not follow links for it
        return elf


class Loader:
    """The loader of one interpreter, with the LD_LIBRARY_PATH that its programs are started with."""

    def __init__(self, library: Library, interpreter: Elf | None, environment: str) -> None:
        self._library = library
        self._interpreter = interpreter
        folders = environment.replace(";", ":").split(":") if environment else []
        self.environment = [one or os.getcwd() for one in folders]
        machine = interpreter.machine if interpreter else os.uname().machine
        self.is_musl = "ld-musl" in (interpreter.interpreter if interpreter else "")
        self._cache = {} if self.is_musl else read_cache("/etc/ld.so.cache")
        self._default = self._defaults(machine)
        self.process = self.closure(interpreter).by_name if interpreter else {}

    def closure(self, first: Elf, loaded: Loaded | None = None) -> Closure:
        """What loading `first` brings in, into a process that holds `loaded` already."""
        closure = Closure(first)
        closure.by_name = dict(loaded or {})
        for name in first.names:
            closure.by_name.setdefault(name, first)
        seen = {id(first)}
        waiting = deque([(first, self._first_chain(first))])
        while waiting:
            needer, chain = waiting.popleft()
            for name in needer.needed:
                found = self._lookup(name, needer, chain, closure.by_name)
                if needer is first:
                    closure.direct[name] = found
                if found is None:
                    closure.missing.append((name, needer))
                    continue
                for known in (name, *found.elf.names):
                    closure.by_name.setdefault(known, found.elf)
                if id(found.elf) not in seen:
                    seen.add(id(found.elf))
                    closure.files.append(found.elf)
                    waiting.append((found.elf, [*self._inherited(found.elf), *chain]))
        return closure

    def shadowed(self, name: str, needer: Elf, found: Found) -> str:
        """What a file's own RUNPATH would lead to, where LD_LIBRARY_PATH leads elsewhere; empty where they agree."""
        if found.how != "environment" or self.is_musl:
            return ""
        for path in needer.runpath:
            for folder in expanded(path, needer.origin):
                elf = self._fitting(os.path.join(folder, name), needer)
                if elf is not None:
                    return "" if elf is found.elf else elf.path
        return ""

    def folders(self) -> list[str]:
        """Every folder that is searched whatever file needs something."""
        cached = [os.path.dirname(path) for paths in self._cache.values() for path in paths]
        return list(dict.fromkeys([*self.environment, *cached, *self._default]))

    def cached(self, name: str) -> list[str]:
        return self._cache.get(name, [])

    # --- one library

    def _lookup(self, name: str, needer: Elf, chain: Sequence[str], loaded: Loaded) -> Found | None:
        if name in loaded:
            return Found(loaded[name], "loaded")
        if "/" in name:
            elf = self._fitting(expanded(name, needer.origin)[0], needer)
            return Found(elf, "path") if elf else None
        for rule, folder in self._folders(needer, chain):
            paths = self.cached(name) if rule == "cache" else [os.path.join(folder, name)]
            for path in paths:
                elf = self._fitting(path, needer)
                if elf is not None:
                    return Found(elf, rule)
        return None

    def _folders(self, needer: Elf, chain: Sequence[str]) -> Iterator[tuple[str, str]]:
        if self.is_musl:
            yield from (("environment", one) for one in self.environment)
            yield from (("runpath", one) for one in chain)
            yield from (("default", one) for one in self._default)
            return
        if not needer.runpath:
            yield from (("rpath", one) for one in chain)
        yield from (("environment", one) for one in self.environment)
        for path in needer.runpath:
            yield from (("runpath", one) for one in expanded(path, needer.origin))
        if not needer.no_default:
            yield ("cache", "")
            yield from (("default", one) for one in self._default)

    def _fitting(self, path: str, needer: Elf) -> Elf | None:
        if not os.path.exists(path):
            return None
        elf = self._library.get(path)
        return elf if elf and (elf.machine, elf.bits) == (needer.machine, needer.bits) else None

    def _first_chain(self, first: Elf) -> list[str]:
        """DT_RPATH of a file, and of the program that loads it."""
        program = [] if first.program or self._interpreter is None else self._inherited(self._interpreter)
        return [*self._inherited(first), *program]

    def _inherited(self, elf: Elf) -> list[str]:
        """The paths of a file that hold for what is loaded through it: DT_RUNPATH cancels DT_RPATH (glibc)."""
        paths = [*elf.rpath, *elf.runpath] if self.is_musl else [] if elf.runpath else elf.rpath
        return [folder for path in paths for folder in expanded(path, elf.origin)]

    def _defaults(self, machine: str) -> list[str]:
        if self.is_musl:
            return _musl_path(machine).replace("\n", ":").split(":")
        triplet = _MULTIARCH.get(machine, "")
        several = ["/lib/" + triplet, "/usr/lib/" + triplet] if triplet else []
        return [*several, "/lib64", "/usr/lib64", "/lib", "/usr/lib"]


def expanded(path: str, origin: str) -> list[str]:
    """A path with the loader's tokens replaced: $ORIGIN, $LIB and $PLATFORM (ld.so(8), "Dynamic string tokens")."""
    if "$" not in path:
        return [path] if path else []
    for token, value in (("ORIGIN", origin), ("PLATFORM", os.uname().machine)):
        path = path.replace("${" + token + "}", value).replace("$" + token, value)
    if "$LIB" not in path and "${LIB}" not in path:
        return [path]
    kinds = ["lib64", "lib", "lib/" + _MULTIARCH.get(os.uname().machine, "")]
    return [path.replace("${LIB}", one).replace("$LIB", one) for one in kinds]


def read_cache(path: str) -> dict[str, list[str]]:
    """Library name -> paths of /etc/ld.so.cache (glibc, dl-cache.h, "new" format); empty where there is none."""
    try:
        with open(path, "rb") as file:
            data = file.read(_CACHE_LIMIT)
        return _entries(data)
    except (OSError, struct.error, ValueError):
        return {}


def _entries(data: bytes) -> dict[str, list[str]]:
    start = data.find(_CACHE_MAGIC)
    if start < 0:
        return {}
    (count,) = struct.unpack_from("<I", data, start + 20)
    found: dict[str, list[str]] = {}
    for index in range(min(count, len(data) // 24)):
        _, key, value = struct.unpack_from("<iII", data, start + 48 + index * 24)
        found.setdefault(_text(data, start + key), []).append(_text(data, start + value))
    return found


def _text(data: bytes, offset: int) -> str:
    return data[offset : data.index(b"\0", offset)].decode("utf-8", "surrogateescape")


def _musl_path(machine: str) -> str:
    try:
        with open(f"/etc/ld-musl-{machine}.path", encoding="utf-8", errors="surrogateescape") as file:
            return file.read(1 << 16).strip()
    except OSError:
        return _MUSL_DEFAULT

"""Every native file of an image, and how the loader fares with it: facts, no verdicts. Nothing is loaded or run.

Each file is taken as the interpreter's dlopen would take it in a process that holds nothing else: its closure is
resolved, its strong undefined symbols are looked for there and in the interpreter, its versions in the libraries found.
What is not found there is looked for among all files of the image that were read: another import may have loaded it.
Floor: Python 3.8.
"""

from __future__ import annotations

import os
import time
from typing import Any, Callable, Dict, Iterable, Iterator, Sequence

from imgcheck.collector.native_driver import driver_copies, ptx_table, toolkits
from imgcheck.collector.native_elf import Elf
from imgcheck.collector.native_files import native_files
from imgcheck.collector.native_guards import is_guarded
from imgcheck.collector.native_loader import Closure, Library, Loader
from imgcheck.collector.sweep_sources import Distribution

SHOWN = 20  # of symbols that some other file defines
_UNDEFINED = 1000  # of those that none does: the host passes over the driver's
_ELSEWHERE = 3

Facts = Dict[str, Any]


def native_facts(
    distributions: Sequence[Distribution],
    modules: Iterable[Facts],
    folders: Iterable[str],
    environment: str,
    emit: Callable[[Facts], None],
    sys_path: Iterable[str] = (),
) -> Facts:
    """Emits one dictionary a file, in the order of distributions, and returns a summary.

    Args:
        distributions: as distributions.find_distributions tells them.
        modules: as modules.enumerate_modules tells them.
        folders: further folders whose native files are read.
        environment: LD_LIBRARY_PATH of the image's programs.
        emit: takes each file's facts.
        sys_path: where the image's own CUDA package is looked for.
    """
    began = time.process_time()
    library = Library()
    program = library.get(os.path.realpath("/proc/self/exe"))
    loader = Loader(library, program, environment)
    survey = _Survey(loader, {one["path"]: one for one in modules})
    for owned in native_files(distributions, folders):
        elf = library.get(owned["path"])
        if elf is not None:
            survey.add(owned, elf)
    survey.resolve()
    paths = []
    for facts in survey.tell():
        paths.append(facts["path"])
        emit(facts)
    return {
        "machine": program.machine if program else os.uname().machine,
        "environment": loader.environment,
        "drivers": driver_copies(loader.folders(), paths),
        "toolkits": toolkits(),
        "ptx": ptx_table(sys_path),
        "cpu_seconds": round(time.process_time() - began, 3),
    }


class _Survey:
    """All files read, then what each one's closure lacks, then where else in the image that is."""

    def __init__(self, loader: Loader, modules: dict[str, Facts]) -> None:
        self._loader = loader
        self._modules = modules
        self._files: list[tuple[Facts, Elf]] = []
        self._closures: dict[str, Closure] = {}
        self._unfound: dict[str, list[bytes]] = {}
        self._definers: dict[bytes, str] = {}
        self._by_name: dict[str, list[str]] = {}
        process = {id(one): one for one in loader.process.values()}.values()
        self._process_symbols = frozenset().union(*(one.defined for one in process))

    def add(self, owned: Facts, elf: Elf) -> None:
        self._files.append((owned, elf))
        if elf.program:
            return
        for name in dict.fromkeys([*elf.names, os.path.basename(owned["path"])]):
            self._by_name.setdefault(name, []).append(owned["path"])

    def resolve(self) -> None:
        wanted: set[bytes] = set()
        for owned, elf in self._files:
            closure = self._loader.closure(elf, None if elf.program else self._loader.process)
            self._closures[owned["path"]] = closure
            known = frozenset() if elf.program else self._process_symbols
            lacking = [one for one in elf.undefined if one not in known]
            for other in closure.files:
                lacking = [one for one in lacking if one not in other.defined] if lacking else lacking
            self._unfound[owned["path"]] = lacking
            wanted.update(lacking)
        for owned, elf in self._files:
            for symbol in () if elf.program else wanted & elf.defined:
                self._definers.setdefault(symbol, owned["path"])

    def tell(self) -> Iterator[Facts]:
        for owned, elf in self._files:
            closure = self._closures[owned["path"]]
            facts = {
                **owned,
                "machine": elf.machine,
                "bits": elf.bits,
                "program": elf.program,
                "soname": elf.soname,
                "rpath": elf.rpath,
                "runpath": elf.runpath,
                "needed": [self._needed(name, elf, closure) for name in elf.needed],
                "missing": self._missing(closure),
                "versions": list(_versions(elf, closure)),
                "problem": elf.problem,
                "gpu": elf.gpu,
                **self._symbols(owned["path"]),
            }
            module = self._modules.get(owned["path"])
            facts["module"] = module["module"] if module else ""
            if module and (facts["missing"] or facts["undefined"] or facts["versions"]):
                facts["guarded"] = is_guarded(module["module"], self._sources(module["distribution"]))
            yield facts

    def _sources(self, distribution: str) -> Iterator[tuple[str, str]]:
        for path, module in self._modules.items():
            if module["distribution"] == distribution and path.endswith(".py"):
                yield module["module"], path

    def _missing(self, closure: Closure) -> list[Facts]:
        return [
            {"name": name, "needed_by": needer.path, "elsewhere": self._by_name.get(name, [])[:_ELSEWHERE]}
            for name, needer in closure.missing
        ]

    def _needed(self, name: str, elf: Elf, closure: Closure) -> Facts:
        found = closure.direct.get(name)
        if found is None:
            return {"name": name, "found": None}
        shadows = self._loader.shadowed(name, elf, found)
        return {"name": name, "found": found.elf.path, "how": found.how, "shadows": shadows}

    def _symbols(self, path: str) -> Facts:
        """Symbols that nothing the loader finds defines: those of no file at all, and those of others."""
        nowhere = [one for one in self._unfound[path] if one not in self._definers]
        elsewhere = [one for one in self._unfound[path] if one in self._definers]
        return {
            "undefined": [_printable(one) for one in nowhere[:_UNDEFINED]],
            "undefined_count": len(nowhere),
            "elsewhere": [{"symbol": _printable(one), "file": self._definers[one]} for one in elsewhere[:SHOWN]],
            "elsewhere_count": len(elsewhere),
        }


def _versions(elf: Elf, closure: Closure) -> Iterator[Facts]:
    """Versions that a library was found without; one that defines none at all is taken as it is, as the loader does."""
    for name, versions in elf.needed_versions.items():
        other = closure.by_name.get(name)
        if other is None or not other.defined_versions:
            continue
        for version in versions:
            if version not in other.defined_versions:
                same = [one for one in other.defined_versions if one.startswith(version.rpartition("_")[0] + "_")]
                newest = max(same, key=_numbers, default="")
                yield {"library": other.path, "version": version, "newest": newest}


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.rpartition("_")[2].split(".") if part.isdigit())


def _printable(symbol: bytes) -> str:
    return symbol.decode("utf-8", "surrogateescape")[:4096]

"""Libraries that an import could not load and goes on without: which are to be tried again, and what that says."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from enum import Enum
from typing import Final

from imgcheck.diagnosis.known_modules import DRIVER_LIBRARY
from imgcheck.diagnosis.library_sources import DRIVER_SYMBOLS
from imgcheck.facts.loads import LoadFacts, LoadTry
from imgcheck.facts.model import ImportFacts

# glibc's dlerror, elf/dl-load.c and elf/dl-lookup.c; musl's, ldso/dynlink.c.
_NO_LIBRARY: Final = re.compile(
    r"([\w.+-]+): cannot open shared object file|Error loading shared library ([\w.+-]+): No such file"
)
_NO_SYMBOL: Final = re.compile(r"undefined symbol: (\w+)|Error relocating \S+: (\w+): symbol not found")


class Swallowed(str, Enum):
    """What a second try says; the words are a report's."""

    BROKEN = "do not load"
    OPTIONAL = "lack a library that they can do without"
    DRIVER = "need the GPU driver, and load with a stand-in for it where one can be made"
    UNTOLD = "could not be tried again"
    LATER = "load when they are tried again"
    NOBODYS = "belong to no distribution"


def unloaded_by_module(imports: ImportFacts) -> dict[str, tuple[str, ...]]:
    """Module -> libraries that its import tried in vain: each once, by the module that does the least beside it."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    seen: set[str] = set()
    for one in sorted(imports.modules, key=lambda one: (one.status != "ok", one.cpu, one.module)):
        for path in one.unloaded:
            if path not in seen:
                seen.add(path)
                found[one.module].append(path)
    return {module: tuple(sorted(found[module])) for module in sorted(found)}


def raised_words(imports: ImportFacts | None) -> dict[str, str]:
    """Module -> what its failed import says: a load that it raises the failure of is not swallowed."""
    failed = (one for one in (imports.modules if imports else ()) if one.error)
    return {
        one.module: "\n".join([one.error.message, *(link.message for link in one.error.chain)])
        for one in failed
        if one.error
    }


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """What may fail for want of the driver alone: paths by module, and the driver's libraries by name."""

    paths: dict[str, tuple[str, ...]]
    libraries: tuple[str, ...]


def waiting_for_driver(tries: LoadFacts) -> Waiting:
    found: defaultdict[str, list[str]] = defaultdict(list)
    libraries: set[str] = set()
    for one in tries.tries:
        library = lacking_library(one)
        if one.distribution and DRIVER_LIBRARY.fullmatch(library):
            found[one.module].append(one.path)
            libraries.add(library)
    return Waiting(paths={name: tuple(paths) for name, paths in found.items()}, libraries=tuple(sorted(libraries)))


def with_stand_in(first: LoadFacts, second: LoadFacts) -> LoadFacts:
    """What a stand-in was there for counts by its second try."""
    again = {one.path: one.model_copy(update={"stand_in": True}) for one in second.tries}
    return LoadFacts(tries=tuple(again.get(one.path, one) for one in first.tries))


def swallowed(one: LoadTry) -> Swallowed:
    """What becomes of a file whose load was swallowed."""
    if not one.distribution:
        return Swallowed.NOBODYS
    if one.error is None:
        return Swallowed.UNTOLD
    if one.error:
        return _refused(one)
    return Swallowed.DRIVER if one.stand_in else Swallowed.LATER


def _refused(one: LoadTry) -> Swallowed:
    """A module whose package does without it may lack a library; whoever names a file of its own wants that file."""
    library, symbol = lacking_library(one), lacking_symbol(one)
    is_of_driver = any(pattern.fullmatch(symbol) for pattern in DRIVER_SYMBOLS.values())
    if DRIVER_LIBRARY.fullmatch(library) or is_of_driver:
        return Swallowed.DRIVER
    return Swallowed.OPTIONAL if library and one.extension else Swallowed.BROKEN


def lacking_library(one: LoadTry) -> str:
    """The library that is not there; empty where that is not what is wrong."""
    return _first(_NO_LIBRARY, one)


def lacking_symbol(one: LoadTry) -> str:
    return _first(_NO_SYMBOL, one)


def _first(pattern: re.Pattern[str], one: LoadTry) -> str:
    found = pattern.search(one.error or "")
    return next(filter(None, found.groups())) if found else ""

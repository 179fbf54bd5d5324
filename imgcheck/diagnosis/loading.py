"""How each native file fares with the loader, and which of what it lacks breaks a contract.

The rules that keep healthy environments free of alarms, each measured against dlopen on CUDA environments: the driver's
libraries come at run time; another interpreter's and another machine's files are never loaded; what another file of
the image has is there once that is loaded; a file that nothing needs, and that is no module, is an optional plugin
unless it is all that its distribution has; a module whose own package catches the failure, by its source or seen in the
import sweep, is optional.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Final

from imgcheck.diagnosis.known_modules import DRIVER_LIBRARY
from imgcheck.diagnosis.library_sources import DRIVER_SYMBOLS, OPERATOR_HOSTS
from imgcheck.diagnosis.swallowing import Swallowed, swallowed
from imgcheck.facts.model import Facts, InterpreterFacts
from imgcheck.facts.native import MissingLibrary, MissingVersion, NativeFile

_TAGGED: Final = re.compile(r"\.(?:cpython-\d+\w*|pypy\d*\w*|graalpy\w*|cp\d+\w*)[.-]")


class Standing(str, Enum):
    """What is known of loading a file."""

    LOADS = "loads"
    AFTER_OTHERS = "load only after other libraries of the image"
    DRIVER = "need the GPU driver"
    OTHER_PYTHON = "are for another Python"
    OTHER_MACHINE = "are for another machine"
    UNREADABLE = "cannot be read"
    LACKS = "lacks something"


@dataclass(frozen=True, kw_only=True)
class Loading:
    """One file, and what it lacks beyond the driver.

    Args:
        libraries: that are nowhere in the image.
        versions: that the libraries found do not define; told only where no library is missing.
        symbols: that no file of the image defines; told only where neither libraries nor versions are missing.
        optional: its distribution does without it.
    """

    file: NativeFile
    standing: Standing
    libraries: tuple[MissingLibrary, ...] = ()
    versions: tuple[MissingVersion, ...] = ()
    symbols: tuple[str, ...] = ()
    optional: bool = False


@dataclass(frozen=True, kw_only=True)
class Loadings:
    """All native files of an image."""

    all: tuple[Loading, ...]

    @cached_property
    def owners(self) -> Mapping[str, str]:
        """Path -> distribution."""
        return {one.file.path: one.file.distribution for one in self.all}

    @property
    def judged(self) -> int:
        """Files that the loader was followed for."""
        return sum(one.standing not in _NOT_JUDGED for one in self.all)

    def passed_over(self) -> tuple[tuple[str, int], ...]:
        counts = {standing: sum(one.standing is standing for one in self.all) for standing in _TOLD}
        return tuple((standing.value, count) for standing, count in counts.items() if count)


_NOT_JUDGED: Final = frozenset({Standing.OTHER_PYTHON, Standing.OTHER_MACHINE, Standing.UNREADABLE})
_TOLD: Final = (Standing.AFTER_OTHERS, Standing.DRIVER, Standing.OTHER_PYTHON, Standing.OTHER_MACHINE)


def loadings_of(facts: Facts) -> Loadings:
    native = facts.native
    if native is None:
        return Loadings(all=())
    needed = frozenset(library.name for file in native.files for library in file.needed)
    first = [_look(file, facts.inventory.interpreter, native.machine) for file in native.files]
    whole = _without_any_that_loads(first)
    failing = _libraries_that_imports_lack(facts)
    spared = _spared(facts)
    return Loadings(all=tuple(_weighed(one, needed, whole, failing, spared, facts) for one in first))


def _spared(facts: Facts) -> frozenset[str]:
    """Modules that an import tried to load, for want of a library in vain, and went on without."""
    tries = facts.loads.tries if facts.loads else ()
    return frozenset(one.path for one in tries if swallowed(one) is Swallowed.OPTIONAL)


def is_driver(library: str) -> bool:
    return bool(DRIVER_LIBRARY.fullmatch(library))


def _look(file: NativeFile, interpreter: InterpreterFacts, machine: str) -> Loading:
    if (file.machine, file.bits) != (machine, 64):
        return Loading(file=file, standing=Standing.OTHER_MACHINE)
    if _is_for_another_python(file, interpreter):
        return Loading(file=file, standing=Standing.OTHER_PYTHON)
    if file.problem:
        return Loading(file=file, standing=Standing.UNREADABLE)
    libraries = tuple(one for one in file.missing if not one.elsewhere and not is_driver(one.name))
    versions = () if libraries else file.versions
    symbols = () if libraries or versions else _without_drivers(file)
    if libraries or versions or symbols:
        return Loading(file=file, standing=Standing.LACKS, libraries=libraries, versions=versions, symbols=symbols)
    if any(is_driver(one.name) for one in file.missing):
        return Loading(file=file, standing=Standing.DRIVER)
    after = file.missing or file.elsewhere
    return Loading(file=file, standing=Standing.AFTER_OTHERS if after else Standing.LOADS)


def _is_for_another_python(file: NativeFile, interpreter: InterpreterFacts) -> bool:
    return bool(_TAGGED.search(file.name)) and not file.name.endswith(tuple(_own_suffixes(interpreter)))


def _own_suffixes(interpreter: InterpreterFacts) -> Iterable[str]:
    """Endings of this interpreter's modules; the bare .so is anybody's."""
    return (suffix for suffix in interpreter.extension_suffixes if suffix != ".so")


def _without_drivers(file: NativeFile) -> tuple[str, ...]:
    """Symbols that are nowhere, those left out that a missing library of the driver defines."""
    asked = {*(one.name for one in file.missing), *(one.name for one in file.needed)}
    patterns = [
        pattern for library, pattern in DRIVER_SYMBOLS.items() if any(name.startswith(library) for name in asked)
    ]
    return tuple(symbol for symbol in file.undefined if not any(pattern.fullmatch(symbol) for pattern in patterns))


def _without_any_that_loads(loadings: Iterable[Loading]) -> frozenset[str]:
    """Distributions all of whose native files lack something."""
    standings: defaultdict[str, set[Standing]] = defaultdict(set)
    for one in loadings:
        if one.standing not in _NOT_JUDGED:
            standings[one.file.distribution].add(one.standing)
    return frozenset(name for name, found in standings.items() if name and found == {Standing.LACKS})


def _libraries_that_imports_lack(facts: Facts) -> frozenset[tuple[str, str]]:
    """(distribution, library) where an import fails with words that name the library."""
    failed = [one for one in facts.imports.modules if one.error] if facts.imports else []
    names = {library.name for file in (facts.native.files if facts.native else ()) for library in file.missing}
    return frozenset(
        (one.distribution, name)
        for one in failed
        for name in names
        if not one.inherited_from and one.error and one.module and name in one.error.message and not _is_own(one.path)
    )


def _is_own(path: str) -> bool:
    """The extension itself was imported, and nothing else: that says nothing of its package."""
    return path.endswith(".so")


def _weighed(
    one: Loading,
    needed: frozenset[str],
    whole: frozenset[str],
    failing: frozenset[tuple[str, str]],
    spared: frozenset[str],
    facts: Facts,
) -> Loading:
    if one.standing is not Standing.LACKS:
        return one
    distribution = one.file.distribution
    if any((distribution, library.name) in failing for library in one.libraries):
        return one
    plugin = bool(one.libraries) and distribution not in whole and _is_plugin(one.file, needed, facts)
    return replace(one, optional=one.file.guarded is True or plugin or one.file.path in spared)


def _is_plugin(file: NativeFile, needed: frozenset[str], facts: Facts) -> bool:
    """Nothing is known to load it: no module, no other library, no operator library, no program on PATH."""
    if file.module or not file.distribution or not needed.isdisjoint({file.name, file.soname}):
        return False
    if file.program:
        return file.path.rpartition("/")[0] != f"{facts.inventory.interpreter.prefix}/bin"
    return OPERATOR_HOSTS.isdisjoint(library.name for library in file.needed)

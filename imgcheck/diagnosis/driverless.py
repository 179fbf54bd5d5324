"""Imports that fail for lack of the GPU driver's libraries: how far they can be verified without one.

Each is tried once more with stand-ins that export the functions which files of the image link, and do nothing. What
fails then below Python fails on a GPU machine too. What is answered then of a GPU (is_available, a count) is true of
nothing, so that every other failure leaves the module not verified.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from imgcheck.contract.model import Contract, Imports
from imgcheck.diagnosis.causes import Cause, causes_of
from imgcheck.diagnosis.driver_symbols import DRIVER_SYMBOLS_BY_CUDA
from imgcheck.diagnosis.gpu_code import numbers
from imgcheck.diagnosis.library_sources import DRIVER_RESULTS, DRIVER_SYMBOLS
from imgcheck.diagnosis.native import driver_library
from imgcheck.diagnosis.reasons import Reason
from imgcheck.diagnosis.sweep import verdicts_of
from imgcheck.diagnosis.world import World
from imgcheck.facts.model import Facts, ImportFacts
from imgcheck.facts.native import NativeFacts, NativeFile

_OTHER_RESULT: Final = 1
_BELOW_PYTHON: Final = frozenset({Reason.NATIVE_MISMATCH, Reason.MISSING_LIBRARY})
_SHOWN: Final = 6


@dataclass(frozen=True, kw_only=True)
class WantedOfDriver:
    """Modules that the loader refuses for lack of the driver's libraries, and the names of these."""

    modules: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class DriverLibrary:
    """What a stand-in has to be: a name, the functions that files of the image link, and what they return."""

    soname: str
    symbols: tuple[str, ...]
    result: int


def wanted_of_driver(imports: ImportFacts | None) -> WantedOfDriver:
    modules: set[str] = set()
    libraries: set[str] = set()
    for one in imports.modules if imports else ():
        messages = (one.error.message, *(link.message for link in one.error.chain)) if one.error else ()
        found = set(filter(None, map(driver_library, messages)))
        if found:
            modules.add(one.module)
            libraries |= found
    return WantedOfDriver(modules=tuple(sorted(modules)), libraries=tuple(sorted(libraries)))


def driver_libraries(native: NativeFacts, wanted: Iterable[str]) -> tuple[DriverLibrary, ...]:
    """Those that imports want and those that files of the image name, which the loader asks for next."""
    named = {one.name for file in native.files for one in file.missing if _family(one.name)}
    return tuple(
        DriverLibrary(
            soname=soname,
            symbols=tuple(sorted(_linked(native, soname))),
            result=DRIVER_RESULTS.get(_family(soname), _OTHER_RESULT),
        )
        for soname in sorted(named.union(wanted))
    )


def _linked(native: NativeFacts, soname: str) -> set[str]:
    pattern = DRIVER_SYMBOLS.get(_family(soname))
    if pattern is None:
        return set()
    needers = (file for file in native.files if soname in _asked(file))
    return {symbol for file in needers for symbol in file.undefined if pattern.fullmatch(symbol)}


def _family(soname: str) -> str:
    """The name without its version, of the driver's libraries."""
    return next((family for family in DRIVER_SYMBOLS if soname.startswith(family)), "")


def beyond_driver(causes: Iterable[Cause], contract: Contract, facts: Facts, world: World) -> tuple[Cause, ...]:
    """With the causes that are there with a stand-in as well; without those whose modules all have such a one."""
    beyond = _beyond(contract, facts, world) if facts.driverless else ()
    others = {name for one in beyond for name in one.modules}
    left = (one for one in causes if not (_waits(one) and others.issuperset(one.modules)))
    return (*left, *beyond)


def _beyond(contract: Contract, facts: Facts, world: World) -> tuple[Cause, ...]:
    verdicts = verdicts_of(contract, facts.model_copy(update={"imports": facts.driverless}))
    causes = causes_of(world, verdicts, contract.import_options or Imports())
    return tuple(one for one in causes if one.diagnosis.reason in _BELOW_PYTHON)


def _waits(cause: Cause) -> bool:
    return cause.diagnosis.reason is Reason.GPU_DRIVER


def told_by_stand_in(cause: Cause, facts: Facts) -> str:
    """How far modules that wait for the driver came with a stand-in for it; empty where they were not tried."""
    tried = {one.module: one for one in facts.driverless.modules} if facts.driverless and _waits(cause) else {}
    verdicts = [tried[name] for name in cause.modules if name in tried]
    failed = [one for one in verdicts if one.status != "ok"]
    if not failed:
        return "with a stand-in for the driver the import goes through" if verdicts else ""
    error = failed[0].error
    why = f"{error.type}: {error.message.strip().partition(chr(10))[0]}" if error else failed[0].status
    return f"with a stand-in for the driver {len(failed)} of {len(verdicts)} still fail: {why}"


def driver_functions(cause: Cause, facts: Facts) -> str:
    """The driver's functions that the files of failing distributions link, and the CUDA that brought the newest."""
    owners = {one.module.distribution for one in cause.failures} if _waits(cause) else set()
    found = sorted(set(_functions(facts.native, owners)))
    if not found:
        return ""
    known = [(numbers(DRIVER_SYMBOLS_BY_CUDA[one]), one) for one in found if one in DRIVER_SYMBOLS_BY_CUDA]
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    newest = f"; {max(known)[1]} came with CUDA {DRIVER_SYMBOLS_BY_CUDA[max(known)[1]]}" if known else ""
    return f"functions of the driver that it links: {', '.join(found[:_SHOWN])}{more}{newest}"


def _functions(native: NativeFacts | None, owners: set[str]) -> Iterator[str]:
    for file in native.files if native else ():
        if file.distribution in owners and any(map(_family, _asked(file))):
            yield from (one for one in file.undefined if any(word.fullmatch(one) for word in DRIVER_SYMBOLS.values()))


def _asked(file: NativeFile) -> tuple[str, ...]:
    """The libraries that a file, or what it brings in, names."""
    return (*(one.name for one in file.needed), *(one.name for one in file.missing))

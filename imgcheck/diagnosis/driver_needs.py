"""What an image asks of the GPU driver, from all that tells: CUDA majors, PTX, the driver's own functions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from imgcheck.contract.model import Contract, Gpu
from imgcheck.diagnosis.driver_symbols import BEFORE_11_1, DRIVER_SYMBOLS_BY_CUDA
from imgcheck.diagnosis.drivers import Driver
from imgcheck.diagnosis.gpu_code import Version, cuda_of_ptx, fit, is_known, numbers, tenfold
from imgcheck.diagnosis.gpu_libraries import driver_symbols, gpu_libraries
from imgcheck.diagnosis.nvidia_require import Fleet
from imgcheck.facts.model import Facts

# Variants for a default stream of each thread: cuda.h, CUDA_API_PER_THREAD_DEFAULT_STREAM.
_PER_THREAD: Final = re.compile(r"_(?:ptsz|ptds)$")
_ANY: Final[Version] = (0, 0)


@dataclass(frozen=True, kw_only=True)
class Need:
    """What one distribution needs of the driver.

    Args:
        owner: a distribution, or a file of a named folder.
        what: the PTX instruction set, or the function.
        cuda: the CUDA whose driver has it; None where no table knows.
        paths: the files that need it.
        capability: the GPU that it is needed for; empty for any.
    """

    owner: str
    what: str
    cuda: Version | None
    paths: tuple[str, ...]
    capability: str = ""


def ptx_needs(facts: Facts, gpu: Gpu) -> tuple[Need, ...]:
    """Of code that a GPU of the fleet runs only when the driver compiles it: the newest instruction set, by owner."""
    told = facts.native.ptx if facts.native else {}
    found: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for library in gpu_libraries(facts):
        for capability in gpu.capabilities:
            isas = fit(library.code, tenfold(capability)).ptx if is_known(tenfold(capability)) else ()
            if isas:
                owner = library.file.distribution or library.file.name
                found[owner, capability].append((isas[-1], library.file.path))
    return tuple(_ptx_need(*key, files, told) for key, files in sorted(found.items()))


def _ptx_need(owner: str, capability: str, files: list[tuple[str, str]], told: Mapping[str, str]) -> Need:
    newest = max((isa for isa, _ in files), key=numbers)
    paths = tuple(path for isa, path in files if isa == newest)
    return Need(owner=owner, what=newest, cuda=cuda_of_ptx(newest, told), paths=paths, capability=capability)


def symbol_needs(facts: Facts) -> tuple[Need, ...]:
    """The newest of the driver's functions that each owner links directly, and the first that no table knows."""
    newest: dict[str, Need] = {}
    unknown: dict[str, Need] = {}
    for file in facts.native.files if facts.native else ():
        owner = file.distribution or file.name
        for symbol in driver_symbols(file):
            need = Need(owner=owner, what=symbol, cuda=first_cuda(symbol), paths=(file.path,))
            if need.cuda is None:
                unknown.setdefault(owner, need)
            elif owner not in newest or (newest[owner].cuda or _ANY) < need.cuda:
                newest[owner] = need
    return tuple(table[owner] for owner in sorted({*newest, *unknown}) for table in (newest, unknown) if owner in table)


def first_cuda(symbol: str) -> Version | None:
    """The CUDA whose driver brought a function; None where it is newer than the table, or none of the driver's."""
    plain = _PER_THREAD.sub("", symbol)
    if plain in BEFORE_11_1:
        return _ANY
    version = numbers(DRIVER_SYMBOLS_BY_CUDA.get(plain, ""))
    return (version[0], version[1]) if version else None


def fleet_of(gpu: Gpu, driver: Driver) -> Fleet:
    cuda = ".".join(map(str, driver.knows)) if driver.knows else None
    return Fleet(cuda=cuda, driver=driver.version, capabilities=gpu.capabilities)


def environment_of(contract: Contract, facts: Facts) -> Iterator[str]:
    """The image's variables, and over them those of the cluster."""
    yield from facts.image.env
    yield from (f"{name}={value}" for name, value in contract.runtime.env.items())

"""What an image asks of the GPU driver, from all that tells: CUDA majors, PTX, the driver's own functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from imgcheck.contract.model import Contract, Gpu
from imgcheck.diagnosis.driver_symbols import DRIVER_SYMBOLS_BY_CUDA
from imgcheck.diagnosis.drivers import Driver
from imgcheck.diagnosis.gpu_code import Version, cuda_of_ptx, fit, is_known, numbers, tenfold
from imgcheck.diagnosis.gpu_libraries import driver_symbols, gpu_libraries
from imgcheck.diagnosis.nvidia_require import Fleet
from imgcheck.facts.model import Facts


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
    """The newest of the driver's functions that each owner links directly; what no table knows is as old as any."""
    newest: dict[str, Need] = {}
    for file in facts.native.files if facts.native else ():
        for symbol in driver_symbols(file):
            cuda = DRIVER_SYMBOLS_BY_CUDA.get(symbol)
            version = numbers(cuda)[:2] if cuda else (0, 0)
            owner = file.distribution or file.name
            known = newest.get(owner)
            if known is None or (known.cuda or (0, 0)) < version:
                newest[owner] = Need(owner=owner, what=symbol, cuda=(version[0], version[1]), paths=(file.path,))
    return tuple(newest[owner] for owner in sorted(newest))


def fleet_of(gpu: Gpu, driver: Driver) -> Fleet:
    cuda = ".".join(map(str, driver.knows)) if driver.knows else None
    return Fleet(cuda=cuda, driver=driver.version, capabilities=gpu.capabilities)


def environment_of(contract: Contract, facts: Facts) -> Iterator[str]:
    """The image's variables, and over them those of the cluster."""
    yield from facts.image.env
    yield from (f"{name}={value}" for name, value in contract.runtime.env.items())

"""What an image has for GPUs, library by library: a frozen value made from facts, without a contract's verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from imgcheck.contract.model import Gpu
from imgcheck.diagnosis.compiled import claimed_architectures
from imgcheck.diagnosis.cuda_tables import FIRST_TOOLKIT, TOOLKIT_FLOOR
from imgcheck.diagnosis.drivers import Driver, driver_of, knows_cuda, least_branch, runs_major
from imgcheck.diagnosis.gpu_code import Runs, architectures, cuda_of_ptx, fit, instruction_sets, is_known, tenfold
from imgcheck.diagnosis.gpu_libraries import GpuLibrary, cuda_majors, gpu_libraries, toolkit_major
from imgcheck.diagnosis.owning import label_of
from imgcheck.diagnosis.requirements import label, winners
from imgcheck.facts.model import Distribution, Facts
from imgcheck.facts.native import NativeFacts

USUAL = ("7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0")
"""Capabilities that are shown where nobody says which the fleet has."""


@dataclass(frozen=True, kw_only=True)
class GpuRow:
    """A library with GPU code, or one of NVIDIA's toolkit wheels.

    Args:
        owner: the distribution and its version; the file's path where there is none.
        file: the file's name; empty for a wheel that is judged as a whole.
        cuda: CUDA majors of the libraries it names, or that it is a part of.
        architectures: as sm_80, compute_90.
        ptx: instruction sets of its PTX.
        driver: the oldest driver branch that its CUDA runs on; None where that is not known, or nothing tells.
        runs: for each capability, in the table's order.
    """

    owner: str
    file: str
    cuda: tuple[int, ...]
    architectures: tuple[str, ...]
    ptx: tuple[str, ...]
    driver: int | None
    runs: tuple[Runs, ...]


@dataclass(frozen=True, kw_only=True)
class GpuSummary:
    """The whole answer of `imgcheck gpu`."""

    image: str
    digest: str
    capabilities: tuple[str, ...]
    driver: str
    rows: tuple[GpuRow, ...]
    toolkits: tuple[str, ...]
    claims: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Distributions that were asked, and the architectures they say they were compiled for."""
    notices: tuple[str, ...] = ()


def summarise_gpu(facts: Facts, gpu: Gpu, notices: Iterable[str] = ()) -> GpuSummary:
    native = facts.native
    capabilities = gpu.capabilities or USUAL
    driver = driver_of(gpu.driver, native) if gpu.driver and native else None
    rows = [_library(facts, native, one, capabilities, driver) for one in gpu_libraries(facts)] if native else []
    return GpuSummary(
        image=facts.image.reference,
        digest=facts.image.digest,
        capabilities=capabilities,
        driver=gpu.driver or "",
        rows=(*sorted(rows, key=lambda one: (one.owner, one.file)), *_wheels(facts, capabilities, driver)),
        toolkits=tuple(f"CUDA {one.version} in {one.path}" for one in native.toolkits) if native else (),
        claims=tuple(
            (label_of(facts.inventory, owner), names) for owner, names in sorted(claimed_architectures(facts).items())
        ),
        notices=tuple(notices),
    )


def _library(
    facts: Facts, native: NativeFacts, library: GpuLibrary, capabilities: tuple[str, ...], driver: Driver | None
) -> GpuRow:
    majors = tuple(sorted(cuda_majors(library.file)))
    return GpuRow(
        owner=label_of(facts.inventory, library.file.distribution) or library.file.path,
        file=library.file.name,
        cuda=majors,
        architectures=architectures(library.code),
        ptx=instruction_sets(library.code),
        driver=least_branch(max(majors)) if majors else None,
        runs=tuple(_runs(native, library, tenfold(one), majors, driver) for one in capabilities),
    )


def _runs(
    native: NativeFacts, library: GpuLibrary, capability: int, majors: tuple[int, ...], driver: Driver | None
) -> Runs:
    """As the code alone tells, and then as far as the driver goes along."""
    found = fit(library.code, capability)
    if driver is None:
        return found.runs
    if any(runs_major(driver, one) is False for one in majors):
        return Runs.NO
    if found.runs is Runs.JIT:
        needs = [cuda_of_ptx(isa, native.ptx) for isa in found.ptx]
        known = [None if one is None else knows_cuda(driver, one) for one in needs]
        return Runs.NO if False in known else Runs.UNKNOWN if None in known else Runs.JIT
    return found.runs


def _wheels(facts: Facts, capabilities: tuple[str, ...], driver: Driver | None) -> Iterator[GpuRow]:
    for distribution in sorted(winners(facts.inventory), key=lambda one: one.canonical_name):
        major = toolkit_major(distribution)
        if major is not None:
            yield _wheel(distribution, major, capabilities, driver)


def _wheel(distribution: Distribution, major: int, capabilities: tuple[str, ...], driver: Driver | None) -> GpuRow:
    return GpuRow(
        owner=label(distribution),
        file="",
        cuda=(major,),
        architectures=(),
        ptx=(),
        driver=least_branch(major),
        runs=tuple(_toolkit_runs(major, tenfold(one), driver) for one in capabilities),
    )


def _toolkit_runs(major: int, capability: int, driver: Driver | None) -> Runs:
    """By the release notes: dropped, or not there yet as far as the major tells."""
    if driver is not None and runs_major(driver, major) is False:
        return Runs.NO
    if major not in TOOLKIT_FLOOR or not is_known(capability) or FIRST_TOOLKIT[capability][0] > major:
        return Runs.UNKNOWN
    return Runs.YES if capability >= TOOLKIT_FLOOR[major] else Runs.NO

"""Which GPUs can run the code that a native file holds, container by container.

Rules (CUDA C++ Programming Guide, "Binary compatibility", "PTX compatibility", "Family-specific features"): machine
code runs on the same major version and a minor not below its own; `a` on exactly its own, `f` on its family; PTX is
compiled by the driver for any GPU not below its own, with the same meaning of `a` and `f`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Final

from imgcheck.diagnosis.cuda_tables import EXACT_ONLY, FAMILIES, FIRST_TOOLKIT, PTX_CUDA
from imgcheck.facts.native import GpuCode, GpuContainer

_ARCHITECTURE: Final = re.compile(r"(\d+)([af]?)")
Version = tuple[int, int]


class Runs(str, Enum):
    """How code, or a whole file, fares on a GPU."""

    YES = "yes"
    JIT = "by JIT"
    SOME = "in part"
    NO = "no"
    ELSEWHERE = "no, made for one GPU"
    UNKNOWN = "cannot be told"


@dataclass(frozen=True, kw_only=True)
class Fit:
    """One file on one GPU.

    Args:
        runs: the file as a whole; SOME where containers are chosen between at run time.
        counts: containers by how they fare.
        ptx: the PTX instruction sets that the driver must compile, of containers that run only so.
    """

    runs: Runs
    counts: Mapping[Runs, int]
    ptx: tuple[str, ...] = ()

    @cached_property
    def total(self) -> int:
        return sum(self.counts.values())


def fit(code: GpuCode, capability: int) -> Fit:
    """A file on a GPU; `capability` is ten times the compute capability: 8.6 -> 86."""
    counts: Counter[Runs] = Counter()
    ptx: set[str] = set()
    for container in code.containers:
        runs, isa = _container(container, capability)
        counts[runs] += container.count
        if runs is Runs.JIT:
            ptx.add(isa)
    return Fit(runs=_whole(counts), counts=counts, ptx=tuple(sorted(ptx, key=numbers)))


def tenfold(capability: str) -> int:
    """The compute capability "8.6" as 86, as architectures are written."""
    major, _, minor = capability.partition(".")
    return int(major) * 10 + int(minor)


def is_known(capability: int) -> bool:
    return capability in FIRST_TOOLKIT


def architectures(code: GpuCode) -> tuple[str, ...]:
    """As sm_80 and compute_90, in order."""
    found = {entry[:2] for container in code.containers for entry in container.entries}
    ordered = sorted(found, key=lambda one: (one[0] != "sass", _number(one[1]), one[1]))
    prefixes = {"sass": "sm_", "ptx": "compute_", "lto": "lto_"}
    return tuple(f"{prefixes.get(kind, kind + ' ')}{arch}" for kind, arch in ordered)


def instruction_sets(code: GpuCode) -> tuple[str, ...]:
    """PTX instruction sets of a file, in order."""
    found = {version for one in code.containers for kind, _, version in one.entries if kind == "ptx"}
    return tuple(sorted(found, key=numbers))


def cuda_of_ptx(isa: str, told: Mapping[str, str]) -> Version | None:
    """The CUDA whose driver compiles an instruction set: by the image's own table, then by ours; None where unknown."""
    if isa in told:
        major, minor = numbers(told[isa])[:2]
        return major, minor
    return PTX_CUDA.get(isa)


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _whole(counts: Counter[Runs]) -> Runs:
    there = {runs for runs, count in counts.items() if count}
    fine = there & {Runs.YES, Runs.JIT}
    if fine and fine == there:
        return Runs.JIT if Runs.JIT in there else Runs.YES
    if fine:
        return Runs.SOME
    if Runs.UNKNOWN in there or not there:
        return Runs.UNKNOWN
    return Runs.NO if Runs.NO in there else Runs.ELSEWHERE


def _container(container: GpuContainer, capability: int) -> tuple[Runs, str]:
    """How one compilation fares, and the oldest PTX that the driver may take for it."""
    usable = [one for one in container.entries if one[0] in ("sass", "ptx")]
    code = [_fits(arch, capability, plain_minor=True) for kind, arch, _ in usable if kind == "sass"]
    if True in code:
        return Runs.YES, ""
    isas = [isa for kind, arch, isa in usable if kind == "ptx" and _fits(arch, capability, plain_minor=False)]
    if isas:
        return Runs.JIT, min(isas, key=numbers)
    told = [*code, *(_fits(arch, capability, plain_minor=False) for kind, arch, _ in usable if kind == "ptx")]
    if None in told or not usable:
        return Runs.UNKNOWN, ""
    specific = all(arch[-1:] in {"a", "f"} for _, arch, _ in usable)
    return (Runs.ELSEWHERE if specific else Runs.NO), ""


def _fits(architecture: str, capability: int, *, plain_minor: bool) -> bool | None:
    """Whether code for an architecture serves a GPU; `plain_minor`: it is machine code. None where it is not known."""
    found = _ARCHITECTURE.fullmatch(architecture)
    if not found or not is_known(int(found[1])) or not is_known(capability):
        return None
    arch = int(found[1])
    if found[2] == "a":
        return arch == capability
    if found[2] == "f":
        return capability in FAMILIES.get(arch, frozenset({arch}))
    if not plain_minor:
        return arch <= capability
    if EXACT_ONLY & {arch, capability}:
        return arch == capability
    return arch // 10 == capability // 10 and arch <= capability


def _number(architecture: str) -> int:
    found = _ARCHITECTURE.match(architecture)
    return int(found[1]) if found else 0

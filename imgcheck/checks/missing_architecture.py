"""IC501: a library holds GPU code, and none that one of the fleet's GPUs can run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract, Gpu
from imgcheck.diagnosis.compiled import claimed_architectures
from imgcheck.diagnosis.cuda_tables import AS_OF, TOOLKIT_FLOOR
from imgcheck.diagnosis.gpu_code import Fit, Runs, architectures, fit, is_known, tenfold
from imgcheck.diagnosis.gpu_libraries import GpuLibrary, gpu_libraries, users_by_cuda
from imgcheck.diagnosis.owning import label_of
from imgcheck.facts.model import Facts
from imgcheck.outcome import Fault, Judgement

_SHOWN = 8
_OVER = {
    Runs.JIT: "libraries run on a GPU of the fleet only by JIT",
    Runs.SOME: "libraries choose at run time among code of which a part runs",
    Runs.ELSEWHERE: "libraries made for one GPU that the fleet does not have",
}
_VARIANT = "variants of a library of which another one runs"

Judged = tuple[GpuLibrary, Fit]


def judge(contract: Contract, facts: Facts) -> Judgement:
    gpu = contract.gpu or Gpu()
    libraries = gpu_libraries(facts)
    over: defaultdict[str, int] = defaultdict(int)
    faults: list[Fault] = []
    for capability in gpu.capabilities:
        if not is_known(tenfold(capability)):
            faults.append(_unknown(capability))
            continue
        judged = [(one, fit(one.code, tenfold(capability))) for one in libraries]
        for _, found in judged:
            if found.runs in _OVER:
                over[_OVER[found.runs]] += 1
        faults += _faults(contract, facts, capability, judged, over)
        faults += _toolkits(facts, capability)
    return Judgement(
        examined=len(libraries) if any(is_known(tenfold(one)) for one in gpu.capabilities) else 0,
        unit="GPU libraries",
        faults=(
            *faults,
            *_unkept_claims(facts, libraries),
            *(_unreadable(one) for one in libraries if one.code.problem),
        ),
        passed_over=tuple(sorted(over.items())),
    )


def _faults(
    contract: Contract, facts: Facts, capability: str, judged: Sequence[Judged], over: defaultdict[str, int]
) -> Iterator[Fault]:
    """One a distribution: files without code for a GPU, and those of which it cannot be told."""
    running = {_stem(one) for one, found in judged if found.runs in {Runs.YES, Runs.JIT, Runs.SOME}}
    lacking: defaultdict[tuple[str, bool], list[Judged]] = defaultdict(list)
    for one, found in judged:
        if found.runs is Runs.NO and _stem(one) in running:
            over[_VARIANT] += 1
        elif found.runs in {Runs.NO, Runs.UNKNOWN}:
            lacking[one.file.distribution or one.file.name, found.runs is Runs.UNKNOWN].append((one, found))
    for (owner, unverified), files in sorted(lacking.items()):
        yield _fault(contract, facts, owner, capability, [one for one, _ in files], unverified=unverified)


def _stem(library: GpuLibrary) -> tuple[str, str]:
    """A library's name without numbers: variants for several CUDA versions lie side by side."""
    return library.file.distribution, re.sub(r"\d+", "", library.file.path)


def _fault(
    contract: Contract, facts: Facts, owner: str, capability: str, files: list[GpuLibrary], *, unverified: bool
) -> Fault:
    first = files[0]
    label, holds = label_of(facts.inventory, owner), ", ".join(architectures(first.code))
    told = f"its GPU code is newer than imgcheck's table ({AS_OF})"
    return Fault(
        subject=f"{owner} -> {capability}",
        summary=(
            f"Whether {label} runs on GPUs of capability {capability} cannot be told: {told}"
            if unverified
            else f"{label} has no code for GPUs of capability {capability}: {first.file.name} holds {holds} only"
        ),
        expected=f"code for sm_{tenfold(capability)}, or PTX for it or an older one",
        actual=told if unverified else holds,
        remedy=f"Install a build of {owner} for capability {capability}, or compile it with that architecture.",
        location=contract.where("gpu", "capabilities"),
        evidence="\n".join(f"{one.file.path}: {', '.join(architectures(one.code))}" for one in files[:_SHOWN]),
        identity="no code",
        unverified=unverified,
    )


def _unkept_claims(facts: Facts, libraries: Sequence[GpuLibrary]) -> Iterator[Fault]:
    """A distribution says it was compiled for an architecture, and none of its files that were read holds it."""
    for owner, claims in sorted(claimed_architectures(facts).items()):
        mine = [one for one in libraries if one.file.distribution == owner]
        held = {name for one in mine for name in architectures(one.code)}
        missing = [name for name in claims if name not in held]
        if mine and missing:
            yield Fault(
                subject=f"{owner} -> {', '.join(missing)}",
                summary=f"{label_of(facts.inventory, owner)} says it was compiled for {', '.join(missing)}, "
                "and no file of it holds such code",
                expected=", ".join(claims),
                actual=", ".join(sorted(held)),
                remedy=f"Reinstall {owner}: files of two builds may lie over one another.",
                identity="claimed",
                unverified=True,
            )


def _toolkits(facts: Facts, capability: str) -> Iterator[Fault]:
    """NVIDIA's own libraries keep code in places of their own; the release notes say what each CUDA runs on."""
    for major, users in users_by_cuda(facts).items():
        floor = TOOLKIT_FLOOR.get(major)
        if floor is not None and tenfold(capability) < floor:
            yield Fault(
                subject=f"CUDA {major} -> {capability}",
                summary=f"CUDA {major} no longer runs on GPUs of capability {capability}; needed by "
                f"{', '.join(users[:5])}",
                expected=f"libraries of a CUDA before {major}",
                actual=f"CUDA {major} runs on {floor // 10}.{floor % 10} and newer",
                remedy=f"Install builds for CUDA {major - 1}, or take the GPU out of gpu.capabilities.",
                details=users,
                identity="dropped",
            )


def _unknown(capability: str) -> Fault:
    return Fault(
        subject=capability,
        summary=f"What runs on GPUs of capability {capability} cannot be told",
        expected="a capability that imgcheck knows",
        actual=f"imgcheck's table ({AS_OF}) does not have it: a newer GPU, or a slip of the pen",
        remedy="See to the spelling; or update imgcheck.",
        unverified=True,
    )


def _unreadable(library: GpuLibrary) -> Fault:
    return Fault(
        subject=f"{library.file.distribution or 'file'} -> {library.file.name}",
        summary=f"The GPU code of {library.file.path} cannot be read to its end",
        expected="containers in the form that nvcc 11 to 13 writes",
        actual=library.code.problem,
        remedy="Update imgcheck: the form may be newer; or reinstall the file: it may be damaged.",
        unverified=True,
    )


CHECK = Check(
    code="IC501",
    name="missing-architecture",
    summary="A library has no code that a GPU of the fleet can run",
    needs=Needs.NATIVE,
    applies=lambda contract: bool(contract.gpu and contract.gpu.capabilities),
    judge=judge,
)

"""IC503: builds for different CUDA versions are meant to work in one process."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.gpu_libraries import cuda_majors, is_toolkit_wheel
from imgcheck.diagnosis.library_sources import OPERATOR_HOSTS
from imgcheck.diagnosis.owning import label_of
from imgcheck.diagnosis.requirements import Need, label, needs_of
from imgcheck.facts.model import Distribution, Facts
from imgcheck.facts.native import NativeFile
from imgcheck.outcome import Cause, Fault, Judgement

_SHOWN = 8
# What index builds write into the local version (PEP 440): https://download.pytorch.org/whl/ : +cpu, +cu121, +rocm6.1
_BUILD = re.compile(r"\+(cpu|cu\d{2,3}|rocm[\d.]+|xpu)\b")


def judge(_contract: Contract, facts: Facts) -> Judgement:
    files = facts.native.files if facts.native else ()
    majors: defaultdict[str, defaultdict[int, list[NativeFile]]] = defaultdict(lambda: defaultdict(list))
    for file in files:
        for major in () if is_toolkit_wheel(file.distribution) else cuda_majors(file):
            majors[file.distribution or file.name][major].append(file)
    host = _host(files)
    told = [one for one in facts.inventory.distributions if _build(one)]
    return Judgement(
        examined=len(majors) + len(told),
        unit="CUDA builds",
        faults=(*_other_majors(facts, majors, host), *_other_builds(facts)),
    )


def _host(files: tuple[NativeFile, ...]) -> str:
    """The distribution whose libraries operator libraries register themselves with."""
    return next((one.distribution for one in files if one.name in OPERATOR_HOSTS and one.distribution), "")


def _other_majors(
    facts: Facts, majors: defaultdict[str, defaultdict[int, list[NativeFile]]], host: str
) -> Iterator[Fault]:
    """Extensions of a host that is of another CUDA break; others beside it are a note: two runtimes in one process."""
    ours = max(majors[host]) if host in majors else _usual(majors)
    for owner, found in sorted(majors.items()):
        for major, files in sorted(found.items()):
            if ours is None or major == ours or owner == host or len(found) > 1:
                continue
            extends = any(not OPERATOR_HOSTS.isdisjoint(one.name for one in file.needed) for file in files)
            whom = label_of(facts.inventory, host) if host else "most of the image"
            yield Fault(
                subject=f"{owner} -> CUDA {major}",
                summary=f"{label_of(facts.inventory, owner)} is built for CUDA {major}, and {whom} for CUDA {ours}",
                expected=f"a build for CUDA {ours}",
                actual=f"{files[0].name} needs {_names(files[0])}",
                remedy=f"Install a build of {owner} for CUDA {ours} (its index, or a name with -cu{ours}).",
                evidence="\n".join(f"{one.path} needs {_names(one)}" for one in files[:_SHOWN]),
                identity=f"beside CUDA {ours}",
                note=not (extends and host),
            )


def _usual(majors: defaultdict[str, defaultdict[int, list[NativeFile]]]) -> int | None:
    """The CUDA of most distributions; of as many, the newer one."""
    counts: defaultdict[int, int] = defaultdict(int)
    for found in majors.values():
        if len(found) == 1:
            counts[next(iter(found))] += 1
    return max(counts, key=lambda one: (counts[one], one), default=None)


def _names(file: NativeFile) -> str:
    return ", ".join(one.name for one in file.needed if re.match(r"lib(?:cu|nv)", one.name))


def _other_builds(facts: Facts) -> Iterator[Fault]:
    """Builds by their local version: what requires the other must be of the same kind."""
    for need in needs_of(facts.inventory):
        other = facts.inventory.find(need.name) if need.applies else None
        builds = (_build(need.owner), _build(other) if other else "")
        if other and all(builds) and builds[0] != builds[1]:
            yield _other_build(need, other, builds)


def _other_build(need: Need, other: Distribution, builds: tuple[str, str]) -> Fault:
    return Fault(
        subject=f"{need.owner.canonical_name} -> {other.canonical_name}",
        summary=f"{label(need.owner)} is a build for {builds[0]}, and {label(other)}, which it requires, "
        f"one for {builds[1]}",
        expected=f"both for {builds[0]}, or both for {builds[1]}",
        actual=f"{builds[0]} beside {builds[1]}",
        remedy=f"Install {need.owner.name} and {other.name} from the same index, in one command.",
        cause=Cause(requirement=need.sentence),
        identity=f"{builds[0]} {builds[1]}",
    )


def _build(distribution: Distribution) -> str:
    found = _BUILD.search(distribution.version)
    return found[1] if found else ""


CHECK = Check(
    code="IC503",
    name="mixed-cuda",
    summary="Builds for different CUDA versions are meant to work together",
    needs=Needs.NATIVE,
    applies=lambda contract: bool(contract.native or contract.gpu),
    judge=judge,
)

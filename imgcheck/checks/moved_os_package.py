"""IC107: a package of the operating system is not at the version that the contract promises, or that the base has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.stack_packages import COMPATIBLE, part_of_stack
from imgcheck.facts.model import Facts
from imgcheck.facts.os_packages import OsPackages
from imgcheck.outcome import Fault, Judgement

_INSTALLED = "installed"


def judge(contract: Contract, facts: Facts) -> Judgement:
    found = facts.os_packages
    if found is None:
        return Judgement(examined=0, unit="OS packages")
    if found.problem or not found.manager:
        return Judgement(examined=0, unit="OS packages", faults=(_untold(contract, found),))
    stack = _of_base(contract, facts)
    return Judgement(
        examined=len(contract.os_packages) + len(stack),
        unit="OS packages",
        faults=(*_faults(contract, found), *_moved_from_base(stack, found)),
    )


def _of_base(contract: Contract, facts: Facts) -> Mapping[str, str]:
    """What the base's CUDA stack stands on, where no promise names it."""
    base = facts.base_os_packages.packages if facts.base_os_packages else ()
    return {name: version for name, version in base if part_of_stack(name) and name not in contract.os_packages}


def _moved_from_base(stack: Mapping[str, str], found: OsPackages) -> Iterator[Fault]:
    for name, version in sorted(stack.items()):
        versions = found.versions(name)
        if version in versions:
            continue
        there, part = ", ".join(versions), part_of_stack(name)
        yield Fault(
            subject=name,
            summary=f"The OS package {name} ({part}) is {f'at {there}' if there else 'gone'}; the base has {version}",
            expected=version,
            actual=there or "not installed",
            baseline=version,
            remedy=f"Find the step that moved it ({_command(found, name)}), and hold it there; if it is to be so, "
            f"promise it by name: os_packages: {{{name}: {there or 'installed'}}}.",
            note=part in COMPATIBLE and bool(versions),
        )


def _faults(contract: Contract, found: OsPackages) -> Iterator[Fault]:
    for name, wanted in sorted(contract.os_packages.items()):
        versions = found.versions(name)
        if any(_is(version, wanted) for version in versions):
            continue
        there = ", ".join(versions)
        yield Fault(
            subject=name,
            summary=f"The OS package {name} is at {there}, the contract promises {wanted}"
            if versions
            else f"The OS package {name} is not installed, the contract promises {wanted}",
            expected=wanted,
            actual=there or "not installed",
            remedy=f"Find the step that moved it ({_command(found, name)}), and hold it there; "
            "if the base shall move, change the contract.",
            location=contract.where("os_packages", name),
        )


def _is(version: str, wanted: str) -> bool:
    """Exactly the version; a trailing `*` for all that begin so; "installed" for any."""
    if wanted == _INSTALLED:
        return True
    return bool(re.fullmatch(".*".join(map(re.escape, wanted.split("*"))), version))


def _command(found: OsPackages, name: str) -> str:
    ways = {
        "dpkg": f"apt-get install or upgrade; apt-mark hold {name}",
        "apk": "apk add or upgrade",
        "rpm": "dnf or yum",
    }
    return ways[found.manager] if found.manager else ""


def _untold(contract: Contract, found: OsPackages) -> Fault:
    return Fault(
        subject=", ".join(sorted(contract.os_packages)) or "the packages of CUDA, cuDNN, NCCL, libc and libstdc++",
        summary="The packages of the operating system cannot be told",
        expected="a database of dpkg, apk or rpm",
        actual=found.problem or "the image has none: it was built from files, or cleaned",
        remedy="Take os_packages out of this image's contract, or keep the package database in the image.",
        location=contract.where("os_packages"),
        unverified=True,
    )


CHECK = Check(
    code="IC107",
    name="moved-os-package",
    summary="A package of the operating system is not at the promised version",
    needs=Needs.OS_PACKAGES,
    applies=lambda contract: bool(contract.os_packages or (contract.base and contract.gpu)),
    judge=judge,
    inheritable=False,
)

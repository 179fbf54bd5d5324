"""IC107: a package of the operating system is not at the version that the contract promises, or that the base has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
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
    return Judgement(examined=len(contract.os_packages), unit="OS packages", faults=tuple(_faults(contract, found)))


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
        subject=", ".join(sorted(contract.os_packages)),
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
    applies=lambda contract: bool(contract.os_packages),
    judge=judge,
    inheritable=False,
)

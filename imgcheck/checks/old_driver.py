"""IC502: something in the image needs a newer GPU driver than the fleet's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract, Gpu
from imgcheck.diagnosis.cuda_tables import AS_OF
from imgcheck.diagnosis.driver_needs import Need, environment_of, fleet_of, ptx_needs, symbol_needs
from imgcheck.diagnosis.drivers import Driver, branch_for, driver_of, knows_cuda, least_branch, runs_major
from imgcheck.diagnosis.gpu_libraries import users_by_cuda
from imgcheck.diagnosis.nvidia_require import Requirement, requirements
from imgcheck.diagnosis.owning import label_of
from imgcheck.facts.model import Facts
from imgcheck.outcome import Fault, Judgement, Location

_SHOWN = 8
_NEWER = f"driver or CUDA are newer than imgcheck's table ({AS_OF})"


@dataclass(frozen=True, kw_only=True)
class _Fleet:
    """The driver, as the contract names it and where."""

    driver: Driver
    where: Location | None

    @property
    def told(self) -> str:
        knows = f", which knows CUDA {_dotted(self.driver.knows)}" if self.driver.knows else ""
        return f"driver {self.driver.version}{knows}{' or newer' if self.driver.at_least else ''}"


def judge(contract: Contract, facts: Facts) -> Judgement:
    gpu = contract.gpu or Gpu()
    if facts.native is None or gpu.driver is None:
        return Judgement(examined=0, unit="driver needs")
    fleet = _Fleet(driver=driver_of(gpu.driver, facts.native), where=contract.where("gpu", "driver"))
    majors, ptx, symbols = users_by_cuda(facts), ptx_needs(facts, gpu), symbol_needs(facts)
    asked = requirements(environment_of(contract, facts), fleet_of(gpu, fleet.driver))
    faults = (
        *_majors(fleet, majors),
        *(one for need in ptx if (one := _need(facts, fleet, need, _ptx_words(need)))),
        *(one for need in symbols if (one := _need(facts, fleet, need, f"calls the driver's {need.what}"))),
        *(one for requirement in asked if (one := _requirement(fleet, requirement))),
    )
    lent = "rest on the image's forward-compatibility driver, which serves data-centre GPUs only"
    return Judgement(
        examined=len(majors) + len(ptx) + len(symbols) + len(asked),
        unit="driver needs",
        faults=faults,
        passed_over=((lent, 1),) if fleet.driver.lent and not faults else (),
    )


def _ptx_words(need: Need) -> str:
    return f"runs on GPUs of capability {need.capability} only when the driver compiles its PTX {need.what}"


def _majors(fleet: _Fleet, majors: Mapping[int, tuple[str, ...]]) -> Iterator[Fault]:
    for major, users in majors.items():
        runs = runs_major(fleet.driver, major)
        if runs:
            continue
        least = least_branch(major)
        yield Fault(
            subject=f"CUDA {major}",
            summary=f"CUDA {major}, needed by {', '.join(users[:3])}{' and others' if users[3:] else ''}, "
            + (f"does not run on the fleet's {fleet.told}" if runs is False else "cannot be judged here"),
            expected=f"a driver of branch {least} or newer" if least else "a CUDA that imgcheck knows",
            actual=fleet.told if runs is False else _NEWER,
            remedy=f"Install builds for CUDA {fleet.driver.knows[0] if fleet.driver.knows else major - 1}, "
            f"or bring the fleet to driver {least or 'branches that run it'} or newer.",
            location=fleet.where,
            details=users,
            identity="too old",
            unverified=runs is None,
        )


def _need(facts: Facts, fleet: _Fleet, need: Need, words: str) -> Fault | None:
    met = None if need.cuda is None else knows_cuda(fleet.driver, need.cuda)
    if met:
        return None
    label = label_of(facts.inventory, need.owner)
    wanted = f"CUDA {_dotted(need.cuda)}" if need.cuda else "a CUDA that imgcheck's table does not have"
    branch = branch_for(need.cuda) if need.cuda else None
    newer = f" (driver {branch} or newer)" if branch else ""
    return Fault(
        subject=f"{need.owner} -> {need.what}",
        summary=f"{label} {words}, which came with {wanted}; the fleet has {fleet.told}",
        expected=f"a driver that knows {wanted}{newer}",
        actual=fleet.told if met is False else _NEWER,
        remedy=f"Install a build of {need.owner} for an older CUDA, or with machine code for the fleet's GPUs; "
        f"or bring the fleet to a newer driver{newer}.",
        location=fleet.where,
        evidence="\n".join(need.paths[:_SHOWN]),
        identity="too old",
        unverified=met is None,
    )


def _requirement(fleet: _Fleet, requirement: Requirement) -> Fault | None:
    if requirement.met:
        return None
    return Fault(
        subject=requirement.name,
        summary=f"The image asks for {requirement.name}={_short(requirement.value)}, "
        + ("which the contract says too little to judge" if requirement.met is None else f"and has {fleet.told}"),
        expected=_short(requirement.value),
        actual=requirement.problem or ("not told by gpu in the contract" if requirement.met is None else fleet.told),
        remedy="Build on a base for an older CUDA, or bring the fleet to a newer driver. A runtime in CDI mode starts "
        "the image all the same, and the first CUDA call fails.",
        location=fleet.where,
        identity="not met",
        unverified=requirement.met is None,
    )


def _short(value: str) -> str:
    return value if len(value) <= 60 else f"{value[:57]}…"


def _dotted(version: tuple[int, int] | None) -> str:
    return ".".join(map(str, version)) if version else ""


CHECK = Check(
    code="IC502",
    name="old-driver",
    summary="Something in the image needs a newer GPU driver than the fleet's",
    needs=Needs.NATIVE,
    applies=lambda contract: bool(contract.gpu and contract.gpu.driver),
    judge=judge,
)

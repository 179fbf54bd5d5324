"""IC108: a logged model was recorded under another Python, or with other versions, than the image has."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.requirements import Requirement

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.model_files import Recorded, files_of, recorded
from imgcheck.diagnosis.requirements import label
from imgcheck.diagnosis.versions import allows, parse_version
from imgcheck.facts.model import Facts
from imgcheck.outcome import Fault, Judgement, Location


def judge(contract: Contract, facts: Facts) -> Judgement:
    faults: list[Fault] = []
    examined = 0
    for number, name in enumerate(contract.models):
        where = contract.where("models", str(number))
        files = files_of(name, facts)
        told = recorded(files)
        if not files or not (told.python or told.requirements):
            faults.append(_untold(name, where, there=bool(files)))
            continue
        applying = [one for one in told.requirements if _applies(one, facts)]
        examined += len(applying) + bool(told.python)
        faults.extend(_python(name, told, facts, where))
        faults.extend(fault for one in applying for fault in _requirement(name, one, facts, where))
        faults.extend(_unread(name, line, where) for line in told.unread)
    return Judgement(examined=examined, unit="recorded requirements", faults=tuple(faults))


def _untold(name: str, where: Location | None, *, there: bool) -> Fault:
    what = "records neither a Python nor a requirement" if there else "is not there, or cannot be read"
    return Fault(
        subject=name,
        summary=f"The model {name} {what}",
        expected="python_env.yaml, requirements.txt, conda.yaml or MLmodel",
        actual=what,
        remedy="Name the model's folder or one of these files: relative to the contract, or absolute inside the image.",
        location=where,
    )


def _python(name: str, told: Recorded, facts: Facts, where: Location | None) -> Iterator[Fault]:
    here, there = facts.inventory.interpreter.version, told.python
    if not there or _minor(there) == _minor(here):
        return
    harmless = told.pickles is False
    yield Fault(
        subject=f"{name}: python",
        summary=f"The model {name} was logged under Python {there}, and the image runs {here}"
        + (": it holds no pickles" if harmless else ": a pickle may not load in another minor version"),
        expected=f"Python {_minor(there)}",
        actual=here,
        remedy=f"Serve it with an image of Python {_minor(there)}, or log the model anew under {_minor(here)}.",
        location=where,
        note=harmless,
    )


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _applies(requirement: Requirement, facts: Facts) -> bool:
    marker = requirement.marker
    return marker is None or marker.evaluate({**facts.inventory.interpreter.markers, "extra": ""})


def _requirement(name: str, wanted: Requirement, facts: Facts, where: Location | None) -> Iterator[Fault]:
    found = facts.inventory.find(wanted.name)
    version = parse_version(found.version) if found else None
    if found and (version is None or allows(wanted.specifier, version)):
        return
    yield Fault(
        subject=f"{name}: {wanted.name}",
        summary=f"The model {name} needs {wanted.name}{wanted.specifier}, and "
        + (f"{label(found)} is installed" if found else "it is not installed"),
        expected=f"{wanted.name}{wanted.specifier}",
        actual=found.version if found else "not installed",
        remedy=f"Install {wanted.name}{wanted.specifier} in the image, or log the model anew with what the image has.",
        location=where,
    )


def _unread(name: str, line: str, where: Location | None) -> Fault:
    return Fault(
        subject=f"{name}: {line}",
        summary=f"The model {name} records {line!r}, which is no requirement",
        actual="a line that cannot be read",
        remedy="Write it as a requirement (PEP 508).",
        location=where,
        unverified=True,
    )


CHECK = Check(
    code="IC108",
    name="model-environment",
    summary="A logged model needs another Python or other versions than the image has",
    needs=Needs.SURROUNDINGS,
    applies=lambda contract: bool(contract.models),
    judge=judge,
    inheritable=False,
)

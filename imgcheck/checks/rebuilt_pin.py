"""IC103: a protected distribution is not the very build that the base has."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.rebuilding import Difference, differences, same_files
from imgcheck.diagnosis.requirements import label
from imgcheck.facts.model import Distribution, Facts
from imgcheck.outcome import Fault, Judgement

_ELSEWHERE = "moved or missing: see moved-pin and missing-pin"


def judge(contract: Contract, facts: Facts) -> Judgement:
    protected = sorted(set(contract.protect))
    told = [(name, facts.inventory.find(name), facts.base.find(name) if facts.base else None) for name in protected]
    elsewhere = [name for name, here, there in told if _is_elsewhere(contract, name, here, there)]
    faults = (_fault(contract, facts, *one) for one in told if one[0] not in elsewhere)
    return Judgement(
        examined=len(protected) - len(elsewhere),
        unit="protected distributions",
        faults=tuple(fault for fault in faults if fault),
        passed_over=((_ELSEWHERE, len(elsewhere)),) if elsewhere else (),
    )


def _is_elsewhere(contract: Contract, name: str, here: Distribution | None, there: Distribution | None) -> bool:
    """Whether moved-pin or missing-pin tells it already."""
    if name not in contract.pins or there is None:
        return False
    return here is None or any(one.what == "version" for one in differences(there, here))


def _fault(
    contract: Contract, facts: Facts, name: str, here: Distribution | None, there: Distribution | None
) -> Fault | None:
    if facts.base is None:
        return _unverified(
            contract, name, "the base's facts are not to be had, so that there is nothing to compare with"
        )
    if there is None:
        return _unverified(contract, name, f"the base has no {name}")
    if here is None:
        return _rebuilt(contract, there, f"{name} is not installed, and the base has {label(there)}", "not installed")
    found = differences(there, here)
    if any(one.breaks for one in found):
        return _rebuilt(contract, there, _summary(there, here, found), _listed(found))
    if same_files(there, here):
        return _reinstalled(contract, there, found) if found else None
    return _unverified(contract, name, f"{label(here)} has no RECORD, and was installed anew")


def _summary(there: Distribution, here: Distribution, found: tuple[Difference, ...]) -> str:
    if any(one.what == "version" for one in found):
        return f"{label(there)} of the base was replaced by {label(here)}"
    if there.version != here.version:
        return f"{label(there)} of the base was replaced by another build, {here.version}"
    return f"{label(there)} has the base's version, and is another build of it"


def _rebuilt(contract: Contract, there: Distribution, summary: str, actual: str) -> Fault:
    return Fault(
        subject=there.canonical_name,
        summary=summary,
        expected=f"the base's own {label(there)}",
        actual=actual,
        baseline=there.version,
        remedy=f"Leave {there.name} as the base has it: install without --upgrade, --force-reinstall and "
        f"--ignore-installed, and with {there.name}=={there.version} among the constraints.",
        location=contract.where("protect"),
        blame=(there.canonical_name,),
    )


def _reinstalled(contract: Contract, there: Distribution, found: tuple[Difference, ...]) -> Fault:
    return Fault(
        subject=there.canonical_name,
        summary=f"{label(there)} was installed anew, and its files are the base's",
        expected=f"the base's own {label(there)}",
        actual=_listed(found),
        location=contract.where("protect"),
        blame=(there.canonical_name,),
        note=True,
    )


def _unverified(contract: Contract, name: str, why: str) -> Fault:
    return Fault(
        subject=name,
        summary=f"Whether {name} is the base's own build cannot be told: {why}",
        expected="the base's own build",
        actual=why,
        remedy="Compare the two by hand, or take the name out of protect.",
        location=contract.where("protect"),
        unverified=True,
    )


def _listed(found: tuple[Difference, ...]) -> str:
    return "; ".join(f"{one.what}: {one.after or 'none'}, in the base {one.before or 'none'}" for one in found)


CHECK = Check(
    code="IC103",
    name="rebuilt-pin",
    summary="A protected distribution is another build than the base's",
    needs=Needs.INVENTORY,
    applies=lambda contract: bool(contract.protect),
    judge=judge,
    inheritable=False,
)

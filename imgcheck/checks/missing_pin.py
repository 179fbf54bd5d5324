"""IC102: a distribution that the contract pins is not installed."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.requirements import needs_of
from imgcheck.facts.model import Facts
from imgcheck.outcome import Fault, Judgement


def judge(contract: Contract, facts: Facts) -> Judgement:
    missing = [name for name in sorted(contract.pins) if facts.inventory.find(name) is None]
    return Judgement(
        examined=len(contract.pins),
        unit="pins",
        faults=tuple(_fault(contract, facts, name) for name in missing),
    )


def _fault(contract: Contract, facts: Facts, name: str) -> Fault:
    pin = contract.pins[name]
    wanting = (need.sentence for need in needs_of(facts.inventory) if need.applies and need.name == name)
    return Fault(
        subject=name,
        summary=f"{name} is not installed, the contract pins {pin}",
        expected=pin,
        actual="not installed",
        remedy=f"Install {name} {pin}: a later step removed it, another environment comes first on PATH, "
        "or the image is not built on the contract's base. If the base dropped it, drop the pin.",
        location=contract.where("pins", name),
        evidence="\n".join(wanting),
        blame=(name,),
    )


CHECK = Check(
    code="IC102",
    name="missing-pin",
    summary="A pinned distribution is not installed",
    needs=Needs.INVENTORY,
    applies=lambda contract: bool(contract.pins),
    judge=judge,
    inheritable=False,
)

"""IC803: a program that the contract names is not on the image's PATH."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.facts.model import Facts
from imgcheck.facts.surroundings import Surroundings
from imgcheck.outcome import Fault, Judgement


def judge(contract: Contract, facts: Facts) -> Judgement:
    known = facts.surroundings or Surroundings()
    places = dict(known.commands)
    path = dict(known.environment).get("PATH", "")
    asked = [(number, name) for number, name in enumerate(contract.image.commands) if name in places]
    return Judgement(
        examined=len(asked),
        unit="commands",
        faults=tuple(
            Fault(
                subject=name,
                summary=f"{name} is not in the image" + ("" if "/" in name else f", or not on its PATH ({path})"),
                expected=f"a program {name}",
                actual="none",
                remedy=f"Install the package that brings {name} in the build, or add its folder to PATH.",
                location=contract.where("image", "commands", str(number)),
                identity="absent",
            )
            for number, name in asked
            if not places[name]
        ),
    )


CHECK = Check(
    code="IC803",
    name="missing-command",
    summary="A program that must be on PATH is not",
    needs=Needs.SURROUNDINGS,
    applies=lambda contract: bool(contract.image.commands),
    judge=judge,
    inheritable=False,
)

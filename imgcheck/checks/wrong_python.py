"""IC105: the image's Python is not the version that the contract names."""

from __future__ import annotations

import re

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.facts.model import Facts
from imgcheck.outcome import Fault, Judgement


def judge(contract: Contract, facts: Facts) -> Judgement:
    wanted, interpreter = contract.python or "", facts.inventory.interpreter
    parts = wanted.split(".")
    if re.findall(r"\d+", interpreter.version)[: len(parts)] == parts:
        return Judgement(examined=1, unit="interpreters")
    fault = Fault(
        subject="python",
        summary=f"The image's Python is {interpreter.version} ({interpreter.executable}), the contract says {wanted}",
        expected=wanted,
        actual=interpreter.version,
        remedy=f"Put the environment of Python {wanted} first on PATH, or name its interpreter (`python: /opt/...`); "
        "where the base moved, change `python` in the contract.",
        location=contract.where("python"),
    )
    return Judgement(examined=1, unit="interpreters", faults=(fault,))


CHECK = Check(
    code="IC105",
    name="wrong-python",
    summary="The image runs another Python than the contract says",
    needs=Needs.INVENTORY,
    applies=lambda contract: bool(contract.python) and not contract.interpreter,
    judge=judge,
    inheritable=False,
)

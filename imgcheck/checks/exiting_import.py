"""IC304: importing the module exits the program that imports it."""

from __future__ import annotations

import re

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.endings import judge_endings
from imgcheck.facts.model import Facts, ModuleFacts
from imgcheck.outcome import Fault, Judgement

_USAGE = re.compile(r"^usage:", re.IGNORECASE | re.MULTILINE)


def judge(contract: Contract, facts: Facts) -> Judgement:
    return judge_endings(contract, facts, ("exit",), _fault)


def _fault(module: ModuleFacts) -> Fault:
    script = module.reads_arguments or (module.exit_code in (0, 2) and bool(_USAGE.search(module.stderr)))
    code = "an unknown status" if module.exit_code is None else f"status {module.exit_code}"
    missing = _missing(module)
    what = "is a script that reads its arguments when it is imported" if script else "exits the program that imports it"
    if missing:
        what += f", since it finds no {missing}"
    return Fault(
        subject=module.module,
        summary=f"{module.module} of {module.distribution} {what}",
        expected="the program goes on after the import",
        actual=f"exit with {code}",
        remedy="Read its message below. Exclude the module if nothing imports it, else choose another version of "
        f"{module.distribution}.",
        note=script or bool(missing),
    )


def _missing(module: ModuleFacts) -> str:
    """The module without which it gives up, where that is what it does: an optional part that is not installed."""
    links = module.error.chain if module.error else ()
    return next((one.name for one in links if one.type == "ModuleNotFoundError" and one.name), "")


CHECK = Check(
    code="IC304",
    name="exiting-import",
    summary="Importing a module exits the program",
    needs=Needs.IMPORTS,
    applies=lambda contract: bool(contract.imports),
    judge=judge,
)

"""IC303: importing the module does not end within the contract's time."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract, Imports
from imgcheck.diagnosis.endings import judge_endings
from imgcheck.facts.model import Facts, ModuleFacts
from imgcheck.outcome import Fault, Judgement


def judge(contract: Contract, facts: Facts) -> Judgement:
    seconds = (contract.import_options or Imports()).timeout

    def tell(module: ModuleFacts) -> Fault:
        script = ": it is a script that reads its arguments when it is imported" if module.reads_arguments else ""
        return Fault(
            subject=module.module,
            summary=f"Importing {module.module} of {module.distribution} did not end within {seconds:g} s{script}",
            expected=f"imported within {seconds:g} s (imports.timeout)",
            actual="still running",
            remedy="Whatever it waits for (a network, a lock, a prompt) a job would wait for as well. "
            "Raise imports.timeout if it is only slow, or exclude the module.",
            note=bool(script),
        )

    return judge_endings(contract, facts, ("timeout",), tell)


CHECK = Check(
    code="IC303",
    name="hanging-import",
    summary="Importing a module does not end in time",
    needs=Needs.IMPORTS,
    applies=lambda contract: bool(contract.imports),
    judge=judge,
)

"""IC302: importing the module ends its process by a signal, by its memory, or without a word."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.endings import judge_endings, signal_words
from imgcheck.facts.model import Facts, ModuleFacts
from imgcheck.outcome import Fault, Judgement

_REMEDY = (
    "Choose a build of {distribution} made for this Python, libc and CPU; `python -X faulthandler` tells where it ends."
)


def judge(contract: Contract, facts: Facts) -> Judgement:
    return judge_endings(contract, facts, ("signal", "memory", "lost", "container"), _fault)


def _fault(module: ModuleFacts) -> Fault:
    actual = _actual(module)
    return Fault(
        subject=module.module,
        summary=f"Importing {module.module} of {module.distribution} {actual}",
        expected="it is imported, or raises an exception",
        actual=actual,
        remedy=_remedy(module),
        unverified=module.status == "lost",
    )


def _actual(module: ModuleFacts) -> str:
    if module.status == "signal":
        return f"was ended by {signal_words(module.signal)}"
    if module.status == "memory":
        return "took more memory than it may"
    if module.status == "container":
        return "took down its whole container, with the program that watched over it"
    return "left no answer: its process is gone"


def _remedy(module: ModuleFacts) -> str:
    if module.status == "memory":
        return "Raise imports.memory in the contract if the module may take it, or exclude the module."
    return _REMEDY.format(distribution=module.distribution)


CHECK = Check(
    code="IC302",
    name="crashing-import",
    summary="Importing a module ends the interpreter",
    needs=Needs.IMPORTS,
    applies=lambda contract: bool(contract.imports),
    judge=judge,
)

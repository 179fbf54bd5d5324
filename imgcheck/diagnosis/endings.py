"""Imports that ended their process: the same account for crashes, hangs and exits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from imgcheck.contract.model import Contract
from imgcheck.diagnosis.sweep import is_program, tail, verdicts_of
from imgcheck.facts.model import Facts, ModuleFacts
from imgcheck.outcome import Fault, Judgement

# Linux's numbers, whatever the host is: signal(7).
_SIGNALS: Final[dict[int, str]] = {
    4: "SIGILL (an instruction that this CPU lacks)",
    6: "SIGABRT (it gave up)",
    7: "SIGBUS",
    8: "SIGFPE",
    9: "SIGKILL (from outside, often for its memory)",
    11: "SIGSEGV (a memory fault in compiled code)",
    15: "SIGTERM",
    31: "SIGSYS (a forbidden system call)",
}


def signal_words(number: int | None) -> str:
    return _SIGNALS.get(number or 0, f"signal {number}")


def judge_endings(
    contract: Contract, facts: Facts, statuses: tuple[str, ...], tell: Callable[[ModuleFacts], Fault]
) -> Judgement:
    """One fault for each module that ends so; what lies below it in the same package hangs on it."""
    verdicts = verdicts_of(contract, facts)
    ended = verdicts.ended(*statuses)
    programs = sum(is_program(root) for root in ended)
    passed_over = (("excluded by the contract", verdicts.excluded), ("are programs, which may end", programs))
    return Judgement(
        examined=len(verdicts.modules) - programs,
        unit="modules",
        faults=tuple(_account(tell, modules) for root, modules in ended.items() if not is_program(root)),
        passed_over=tuple((why, count) for why, count in passed_over if count),
    )


def _account(tell: Callable[[ModuleFacts], Fault], modules: list[ModuleFacts]) -> Fault:
    fault = replace(tell(modules[0]), evidence=tail(modules[0].stderr))
    return fault if len(modules) == 1 else replace(fault, details=tuple(one.module for one in modules))

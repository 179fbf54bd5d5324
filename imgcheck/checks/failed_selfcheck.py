"""IC602: a self-check that the image's own code offers does not pass, or there is none where one is required."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic import JsonValue

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.contract.selfchecks import GROUP
from imgcheck.diagnosis.endings import signal_words
from imgcheck.diagnosis.selfchecks import offered
from imgcheck.diagnosis.sweep import tail
from imgcheck.diagnosis.tracebacks import lacking, raiser_of
from imgcheck.facts.model import Facts
from imgcheck.facts.selfchecks import SelfCheck, SelfCheckFacts
from imgcheck.outcome import Fault, Judgement


def judge(contract: Contract, facts: Facts) -> Judgement:
    called = (facts.selfchecks or SelfCheckFacts()).called
    excluded = offered(contract, facts.inventory).excluded
    faults = [fault for name, told in called.items() for fault in _faults(name, told, facts)]
    options = contract.selfcheck_options
    if not called and options and options.required:
        faults.append(_none(contract))
    return Judgement(
        examined=sum(max(1, len(told.returned or ())) for told in called.values()),
        unit="self-checks",
        faults=tuple(faults),
        passed_over=(("excluded by the contract", excluded),) if excluded else (),
    )


def _faults(name: str, told: SelfCheck, facts: Facts) -> Iterator[Fault]:
    if told.outcome == "skipped":
        yield _untold(name, told, f"it skipped itself: {told.reason}")
    elif told.outcome == "untellable":
        yield _untold(name, told, f"what it returned cannot be told: {told.reason}")
    elif told.outcome != "returned":
        yield _failed(name, told, facts, _how(told))
    elif told.process.reached != "done":
        yield _failed(name, told, facts, f"it returned, and then {_end(told)}")
    else:
        yield from _single(name, told, facts)


def _single(name: str, told: SelfCheck, facts: Facts) -> Iterator[Fault]:
    """Results of a dictionary, each with a verdict of its own: false, or {"ok": false}, is broken."""
    for key, value in (told.returned or {}).items():
        good, detail = _verdict(value)
        if not good:
            yield _failed(f"{name}/{key}", told, facts, f"it says {json.dumps(value)[:400]}", detail)


def _verdict(value: JsonValue) -> tuple[bool, str]:
    if isinstance(value, dict) and "ok" in value:
        return value["ok"] is not False, str(value.get("detail", ""))
    return value is not False, ""


def _how(told: SelfCheck) -> str:
    if told.outcome == "raised":
        return f"it raised {told.reason}"
    if told.outcome == "unloadable":
        return f"{told.value} cannot be loaded: {told.reason}"
    return f"{_end(told)} before it returned"


def _end(told: SelfCheck) -> str:
    process = told.process
    if process.signal is not None:
        return f"its process was ended by {signal_words(process.signal)}"
    if process.exit_code is not None:
        return f"its process ended with status {process.exit_code}"
    return process.detail or "its process was gone"


def _failed(name: str, told: SelfCheck, facts: Facts, happened: str, detail: str = "") -> Fault:
    return Fault(
        subject=name,
        summary=f"Self-check {name} failed: {detail or happened}",
        expected="it returns",
        actual=happened,
        remedy=_remedy(told, facts),
        evidence=tail(told.process.output, 40),
        identity=happened,
    )


def _remedy(told: SelfCheck, facts: Facts) -> str:
    if told.process.memory_kills:
        return "The container's memory was full: raise runtime.memory, or let it take smaller batches."
    missing, raiser = lacking(told.process.output), raiser_of(told.process.output, facts)
    if missing:
        return f"Install {missing}, which it looked for and did not find."
    where = f"{raiser} raised it. " if raiser else ""
    return f"{where}It runs on the CPU, as the contract's user, without network; the traceback below says where."


def _untold(name: str, told: SelfCheck, reason: str) -> Fault:
    return Fault(
        subject=name,
        summary=f"Self-check {name} was not verified: {reason}",
        expected="it returns",
        actual=reason,
        remedy="Let it run on a CPU without network; what needs more belongs into another one.",
        evidence=tail(told.process.output, 10),
        unverified=True,
    )


def _none(contract: Contract) -> Fault:
    return Fault(
        subject="selfchecks",
        summary="No distribution of the image offers a self-check, and the contract requires one",
        expected=f"an entry point of the group {GROUP}",
        actual="none",
        remedy=f'Offer one in pyproject.toml: [project.entry-points."{GROUP}"] validation = "package.module:function".',
        location=contract.where("selfchecks"),
    )


CHECK = Check(
    code="IC602",
    name="failed-selfcheck",
    summary="A self-check of the image's own code does not pass",
    needs=Needs.SELFCHECKS,
    applies=lambda contract: contract.selfcheck_options is not None,
    judge=judge,
)

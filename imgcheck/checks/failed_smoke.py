"""IC604: a line that the contract says must run does not."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.probing import expected_of, last_words, log_tails, what_happened
from imgcheck.diagnosis.run_lines import smoke_run
from imgcheck.diagnosis.tracebacks import lacking, raiser_of
from imgcheck.facts.model import Facts
from imgcheck.outcome import Fault, Judgement


def judge(contract: Contract, facts: Facts) -> Judgement:
    faults = []
    ran = 0
    for number, smoke in enumerate(contract.smoke):
        run = smoke_run(number, smoke)
        told = facts.runs.get(run.name)
        where = contract.where("smoke", str(number))
        ran += told is not None
        if told is None or told.reached == "done":
            continue
        faults.append(
            Fault(
                subject=smoke.name,
                summary=f"Smoke line {smoke.name} failed: {last_words(told, run)}",
                expected=expected_of(told, run),
                actual=what_happened(told, run),
                remedy=f"{_remedy(told.output, facts)} It runs as the contract's user, without network.",
                location=where,
                evidence=log_tails(told),
            )
        )
    return Judgement(examined=ran, unit="lines", faults=tuple(faults))


def _remedy(output: str, facts: Facts) -> str:
    missing, raiser = lacking(output), raiser_of(output, facts)
    if missing:
        return f"Install {missing}, which it looked for and did not find."
    where = f" {raiser} raised it." if raiser else ""
    return f"The traceback names what to install, to pin or to put into the image.{where}"


CHECK = Check(
    code="IC604",
    name="failed-smoke",
    summary="A line that must run in the image does not",
    needs=Needs.RUNS,
    applies=lambda contract: bool(contract.smoke),
    judge=judge,
    inheritable=False,
)

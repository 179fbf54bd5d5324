"""IC601: a program that must start in the image does not, or not as the contract says."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract, Probe
from imgcheck.diagnosis.probing import expected_of, log_tails, remedy_of, what_happened
from imgcheck.facts.model import Facts, ProbeFacts
from imgcheck.outcome import Fault, Judgement, Location
from imgcheck.probes import resolve


def judge(contract: Contract, facts: Facts) -> Judgement:
    faults = []
    probes = resolve(contract)
    for number, probe in enumerate(probes):
        where = contract.where("probes", str(number))
        told = facts.probes.get(probe.name)
        if told is None:
            faults.append(_not_run(probe.name, where))
        elif told.reached != "done":
            faults.append(_failed(told, probe, where))
    run = sum(probe.name in facts.probes for probe in probes)
    return Judgement(examined=run, unit="probes", faults=tuple(faults))


def _failed(told: ProbeFacts, probe: Probe, where: Location | None) -> Fault:
    happened = what_happened(told, probe)
    return Fault(
        subject=told.name,
        summary=f"Probe {told.name}: {happened}",
        expected=expected_of(told, probe),
        actual=told.answer or told.detail or happened,
        remedy=remedy_of(told),
        location=where,
        evidence=log_tails(told),
        identity=f"{told.reached} {happened}",
    )


def _not_run(name: str, where: Location | None) -> Fault:
    return Fault(
        subject=name,
        summary=f"Probe {name} was not run",
        expected="run",
        actual="the facts hold no answer of it",
        remedy="Run imgcheck again with --no-cache; the probe's name may be new to the facts that were reused.",
        location=where,
        unverified=True,
    )


CHECK = Check(
    code="IC601",
    name="failed-probe",
    summary="A program that must start does not",
    needs=Needs.PROBES,
    applies=lambda contract: bool(contract.probes),
    judge=judge,
    inheritable=False,
)

"""IC601: a program that must start in the image does not, or not as the contract says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.contract.probes import Probe
from imgcheck.diagnosis.probe_remedies import remedy_of, suspects
from imgcheck.diagnosis.probing import expected_of, log_tails, what_happened
from imgcheck.facts.model import Facts
from imgcheck.facts.probes import ProbeFacts
from imgcheck.outcome import Fault, Judgement, Location
from imgcheck.probes import resolve

_PART: Final = "What it complains of is a part that will be missing when it is asked for."
_SHM: Final = "Write the cluster's size under runtime.shm; a pod has 64 MiB unless it mounts memory on /dev/shm."


def judge(contract: Contract, facts: Facts) -> Judgement:
    faults: list[Fault] = []
    probes = resolve(contract)
    for number, probe in enumerate(probes):
        where = contract.where("probes", str(number))
        told = facts.probes.get(probe.name)
        if told is None:
            faults.append(_not_run(probe.name, where))
        elif told.reached == "skipped":
            faults.append(_skipped(told, where))
        elif told.reached != "done":
            faults.append(_failed(told, probe, contract, facts, where))
        else:
            faults += _beside(told, probe, where)
    run = sum(probe.name in facts.probes and facts.probes[probe.name].reached != "skipped" for probe in probes)
    return Judgement(examined=run, unit="probes", faults=tuple(faults))


def _failed(told: ProbeFacts, probe: Probe, contract: Contract, facts: Facts, where: Location | None) -> Fault:
    happened = what_happened(told, probe)
    times = f", at each of {told.attempts} attempts" if probe.retries and told.attempts > 1 else ""
    return Fault(
        subject=told.name,
        summary=f"Probe {told.name}: {happened}{times}",
        expected=expected_of(told, probe),
        actual=told.answer or told.detail or happened,
        remedy=remedy_of(told, probe, contract, facts),
        location=where,
        evidence=log_tails(told),
        identity=f"{told.reached} {happened}",
        blame=suspects(told, contract, facts),
    )


def _beside(told: ProbeFacts, probe: Probe, where: Location | None) -> Iterator[Fault]:
    """What a probe that succeeded leaves to be said."""
    if told.leftovers:
        yield Fault(
            subject=f"{told.name}: leftovers",
            summary=f"Probe {told.name} left {len(told.leftovers)} processes behind: {told.leftovers[0]}",
            expected="no process after its end",
            actual=", ".join(told.leftovers),
            remedy="They were ended. In a cluster they hold ports, memory and GPUs until the container ends: "
            "let the program end what it starts, or name what ends it under 'stop'.",
            location=where,
            evidence="\n".join(told.leftovers),
            identity="leftovers",
            note=probe.leftovers == "warn",
        )
    if told.ignored_term:
        yield Fault(
            subject=f"{told.name}: SIGTERM",
            summary=f"Probe {told.name} did not end within 5 s of SIGTERM, and was killed",
            actual="killed",
            remedy="A cluster waits for its grace period, and kills it too: what it has not written by then is lost.",
            location=where,
            identity="ignored SIGTERM",
            note=True,
        )
    if told.warnings:
        yield Fault(
            subject=f"{told.name}: warnings",
            summary=f"Probe {told.name} succeeded, and says: {told.warnings[0]}",
            actual=told.warnings[0],
            remedy=_SHM if any("/dev/shm" in one for one in told.warnings) else _PART,  # noqa: S108 - a mount's name
            location=where,
            evidence="\n".join(told.warnings),
            identity="warnings",
            note=True,
        )


def _skipped(told: ProbeFacts, where: Location | None) -> Fault:
    return Fault(
        subject=told.name,
        summary=f"Probe {told.name} was skipped: {told.detail}",
        expected="run",
        actual=f"skipped: {told.detail}",
        remedy="Mend that one first.",
        location=where,
        unverified=True,
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

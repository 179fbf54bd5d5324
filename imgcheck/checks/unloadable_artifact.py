"""IC605: a model, scaler or other artefact does not load with what is installed in the image."""

from __future__ import annotations

import re

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.image import Artifact
from imgcheck.contract.model import Contract
from imgcheck.contract.probes import Probe
from imgcheck.diagnosis.probing import expected_of, last_words, log_tails, what_happened
from imgcheck.diagnosis.run_lines import artifact_run, artifacts_of, loader_of
from imgcheck.diagnosis.tracebacks import lacking, raiser_of
from imgcheck.facts.model import Facts
from imgcheck.facts.probes import ProbeFacts
from imgcheck.outcome import Fault, Judgement, Location

_WARNING = re.compile(r"^.*?(\w*(?:Inconsistent|Version)\w*Warning: .*)$", re.MULTILINE)


def judge(contract: Contract, facts: Facts) -> Judgement:
    faults = []
    ran = 0
    for number, artifact in enumerate(artifacts_of(contract)):
        where = contract.where("artifacts", str(number))
        run = artifact_run(number, artifact)
        told = facts.runs.get(run.name) if run else None
        ran += told is not None
        if run is None:
            faults.append(_untold(artifact, where))
        elif told and told.reached != "done":
            faults.append(_failed(artifact, told, run, _versions(told.output, facts), where))
        elif told and (warned := _WARNING.search(told.output)):
            faults.append(_warned(artifact, warned[1], where))
    return Judgement(examined=ran, unit="artefacts", faults=tuple(faults))


def _untold(artifact: Artifact, where: Location | None) -> Fault:
    return Fault(
        subject=artifact.path,
        summary=f"What loads {artifact.path} cannot be told by its name",
        actual="no loader for this ending",
        remedy="Write {path: …, loader: pickle} in the contract, or joblib, torch, safetensors or onnx.",
        location=where,
        unverified=True,
    )


def _versions(output: str, facts: Facts) -> str:
    """What has another version, or none, than where it was made."""
    missing, raiser = lacking(output), raiser_of(output, facts)
    if missing:
        return f"Install {missing}, which it looks for and does not find, in the version that it was made with"
    return f"Install the version that it was made with of {raiser}" if raiser else "Install what it was made with"


def _failed(artifact: Artifact, told: ProbeFacts, run: Probe, remedy: str, where: Location | None) -> Fault:
    return Fault(
        subject=artifact.path,
        summary=f"{artifact.path} does not load with {loader_of(artifact)}: {last_words(told, run)}",
        expected=expected_of(told, run),
        actual=what_happened(told, run),
        remedy=f"{remedy} (model-environment compares what a logged model recorded), or make it anew with what is "
        "installed here.",
        location=where,
        evidence=log_tails(told),
    )


def _warned(artifact: Artifact, warning: str, where: Location | None) -> Fault:
    return Fault(
        subject=artifact.path,
        summary=f"{artifact.path} loads, and warns: {warning[:300]}",
        actual="a warning of versions",
        remedy="Install the version that it was made with, or make it anew: results may differ.",
        location=where,
        note=True,
    )


CHECK = Check(
    code="IC605",
    name="unloadable-artifact",
    summary="An artefact does not load with what is installed",
    needs=Needs.RUNS,
    applies=lambda contract: bool(contract.artifacts),
    judge=judge,
    inheritable=False,
)

from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.failed_probe import judge
from imgcheck.contract.model import Contract
from imgcheck.facts.model import ProbeFacts
from imgcheck.outcome import Fault
from tests.checks.build_facts import a_contract, facts

EXPORTER = {
    "name": "exporter",
    "start": ["python", "-m", "exporter"],
    "http": {"port": 9400, "path": "/metrics", "body": "gpu_"},
    "then": ["curl", "localhost"],
    "within": 30,
}
COMMAND = {"name": "client", "run": ["python", "-c", "pass"], "output": "ok", "within": 5}


def told(**fields: Any) -> ProbeFacts:
    return ProbeFacts.model_validate({"name": "exporter", **fields})


def fault_of(contract: Contract, probe: ProbeFacts) -> Fault:
    (fault,) = judge(contract, facts(probes=[probe])).faults
    return fault


def test_probes_that_came_to_their_end_are_kept() -> None:
    contract = a_contract(probes=[EXPORTER, COMMAND])
    judgement = judge(contract, facts(probes=[told(reached="done"), told(name="client", reached="done")]))
    assert (judgement.examined, judgement.unit, judgement.faults) == (2, "probes", ())


def test_a_probe_without_an_answer_is_not_verified() -> None:
    judgement = judge(a_contract(probes=[EXPORTER, COMMAND]), facts(probes=[told(reached="done")]))
    assert judgement.examined == 1
    assert [(fault.subject, fault.unverified) for fault in judgement.faults] == [("client", True)]


@pytest.mark.parametrize(
    ("fields", "summary", "expected"),
    [
        pytest.param(
            {"reached": "start", "detail": "it could not be started: No such file or directory"},
            "Probe exporter: it could not be started: No such file or directory",
            "starts, and ends with status 0 where it is a command",
            id="never started",
        ),
        pytest.param(
            {"reached": "answer", "exit_code": 1, "detail": "it ended with status 1 before it answered"},
            "Probe exporter: it ended with status 1 before it answered",
            "HTTP 200 on :9400/metrics and a body that matches 'gpu_' within 30 s",
            id="ended before it answered",
        ),
        pytest.param(
            {"reached": "answer", "detail": "it did not answer as asked within 30 s", "answer": "HTTP 500: oops\n<p>"},
            "Probe exporter: it did not answer as asked within 30 s (last answer: HTTP 500: oops)",
            "HTTP 200 on :9400/metrics and a body that matches 'gpu_' within 30 s",
            id="answered with an error",
        ),
        pytest.param(
            {"reached": "alive", "signal": 11},
            "Probe exporter: it was ended by SIGSEGV (a memory fault in compiled code) after it had answered",
            "alive 2 s after its answer",
            id="died after its answer",
        ),
        pytest.param(
            {"reached": "alive", "detail": "it answered, and 2 s later it did not"},
            "Probe exporter: it answered, and 2 s later it did not",
            "alive 2 s after its answer",
            id="fell silent",
        ),
        pytest.param(
            {"reached": "then", "exit_code": 1, "detail": "it ended with status 1"},
            "Probe exporter: it answered, and the command that follows failed: it ended with status 1",
            "status 0 within 30 s",
            id="does not do its work",
        ),
    ],
)
def test_each_stage_in_words(fields: dict[str, Any], summary: str, expected: str) -> None:
    fault = fault_of(a_contract(probes=[EXPORTER]), told(**fields))
    assert (fault.summary, fault.expected) == (summary, expected)
    assert fault.remedy


@pytest.mark.parametrize(
    ("fields", "happened"),
    [
        ({"exit_code": 3, "detail": "it ended with status 3"}, "it ended with status 3"),
        ({"exit_code": 0, "detail": "its output does not match 'ok'"}, "its output does not match 'ok'"),
        ({"detail": "it did not end within 5 s"}, "it did not end within 5 s"),
    ],
)
def test_a_command_in_words(fields: dict[str, Any], happened: str) -> None:
    fault = fault_of(a_contract(probes=[COMMAND]), told(name="client", reached="start", **fields))
    assert fault.summary == f"Probe client: {happened}"
    assert fault.expected == "status 0 within 5 s, and output that matches 'ok'"


def test_output_and_logs_are_the_evidence() -> None:
    probe = told(
        reached="answer", output="Traceback\nImportError: x", logs={"/tmp/agent.log": "TypeError: y\n", "/e": " "}
    )
    fault = fault_of(a_contract(probes=[EXPORTER]), probe)
    assert fault.evidence == "Traceback\nImportError: x\n\n==> /tmp/agent.log <==\nTypeError: y"


def test_a_port_alone_is_expected_open() -> None:
    probe = {"name": "exporter", "start": ["x"], "port": 80}
    assert fault_of(a_contract(probes=[probe]), told(reached="answer")).expected == "port 80 open within 60 s"

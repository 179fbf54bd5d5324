from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.failed_probe import judge
from imgcheck.contract.model import Contract
from imgcheck.facts.probes import ProbeFacts
from imgcheck.outcome import Fault
from tests.checks.build_facts import SITE, a_contract, dist, facts

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


def test_what_is_skipped_is_not_verified_and_says_why() -> None:
    skipped = told(name="client", reached="skipped", detail="needs exporter, which is broken")
    judgement = judge(a_contract(probes=[EXPORTER, COMMAND]), facts(probes=[told(reached="done"), skipped]))
    (fault,) = judgement.faults
    assert judgement.examined == 1
    assert (fault.summary, fault.unverified) == (
        "Probe client was skipped: needs exporter, which is broken",
        True,
    )


@pytest.mark.parametrize(("key", "note"), [("warn", True), ("fail", False)])
def test_what_a_probe_leaves_behind_is_a_finding(key: str, note: bool) -> None:
    probe = told(reached="done", leftovers=["exporter --daemon", "sh"])
    fault = fault_of(a_contract(probes=[{**EXPORTER, "leftovers": key}]), probe)
    assert fault.summary == "Probe exporter left 2 processes behind: exporter --daemon"
    assert (fault.subject, fault.note) == ("exporter: leftovers", note)


def test_a_server_that_must_be_killed_is_a_note() -> None:
    fault = fault_of(a_contract(probes=[EXPORTER]), told(reached="done", ignored_term=True))
    assert (fault.subject, fault.note) == ("exporter: SIGTERM", True)


def test_lines_that_the_probe_warns_of_are_a_note() -> None:
    fault = fault_of(a_contract(probes=[EXPORTER]), told(reached="done", warnings=["plugin x did not load"]))
    assert (fault.subject, fault.note) == ("exporter: warnings", True)
    assert "plugin x did not load" in fault.summary
    small = told(reached="done", warnings=["using /tmp instead of /dev/shm"])
    assert "under runtime.shm" in fault_of(a_contract(probes=[EXPORTER]), small).remedy


def test_attempts_are_told_where_the_contract_asks_for_them() -> None:
    fault = fault_of(a_contract(probes=[{**EXPORTER, "retries": 2}]), told(reached="alive", signal=9, attempts=3))
    assert fault.summary.endswith("after it had answered, at each of 3 attempts")


REMEDIES = {
    "memory": ({"memory_kills": 2}, "2 of its processes because the container's memory was full: raise runtime.memory"),
    "background": ({"exit_code": 0, "leftovers": ["exporter -d"]}, "It went into the background (exporter -d)"),
    "a module": (
        {"output": "ModuleNotFoundError: No module named 'cv2'"},
        "Install opencv-python-headless, which it looked for",
    ),
    "what it asks for": (
        {
            "logs": {
                "/d.log": "Install this module using `pip install 'ray[default]'`. Error: No module named 'aiohttp'"
            }
        },
        "Install ray[default]: so says its output.",
    ),
    "a host": (
        {"output": "urllib3: Failed to resolve 'hub.example.org' ([Errno -3] Temporary failure in name resolution)"},
        "It looked for hub.example.org on the network, and there is none",
    ),
    "the network": ({"output": "socket.gaierror: [Errno -2] Name or service not known"}, "It looked for the network"),
    "nothing known": ({}, "Its output below says why"),
}


@pytest.mark.parametrize(("fields", "remedy"), REMEDIES.values(), ids=REMEDIES)
def test_the_way_out_is_what_the_signs_say(fields: dict[str, Any], remedy: str) -> None:
    fault = fault_of(a_contract(probes=[EXPORTER]), told(reached="answer", **fields))
    assert remedy in fault.remedy
    assert "imgcheck probe exporter IMAGE -c " in fault.remedy


def test_a_moved_pin_in_the_traceback_is_named_and_blamed() -> None:
    error = (
        f'  File "{SITE}/ray/agent.py", line 2, in <module>\n'
        "ImportError: cannot import name 'runtime_version' from 'google.protobuf' (x)"
    )
    inventory = (dist("protobuf 3.20.1", modules=["google.protobuf"]), dist("ray 2.9", modules=["ray.agent"]))
    contract = a_contract(probes=[EXPORTER], pins={"protobuf": "6.33.6", "ray": "2.9"})
    failed = told(reached="answer", output="it hung", logs={"/tmp/agent.log": error})
    (fault,) = judge(contract, facts(*inventory, probes=[failed])).faults
    assert fault.remedy.startswith("protobuf is at 3.20.1, and the contract pins 6.33.6: put it back")
    assert fault.blame == ("protobuf",)


def test_all_that_a_server_is_waited_for_is_what_is_expected() -> None:
    http = {"port": 80, "contains": ["up"], "values": {"state": "ready"}}
    probe = {"name": "exporter", "start": ["x"], "http": http, "log": "listening", "files": ["/run/x.pid"]}
    assert fault_of(a_contract(probes=[probe]), told(reached="answer")).expected == (
        "HTTP 200 on :80/ and a body that contains 'up', has 'ready' at state, a line that matches 'listening', "
        "the file /run/x.pid within 60 s"
    )


def test_what_the_server_says_stands_above_what_its_client_says() -> None:
    failed = told(reached="then", exit_code=1, output="client: 500", server_output="server: Traceback")
    fault = fault_of(a_contract(probes=[EXPORTER]), failed)
    assert fault.evidence == "==> the server's output <==\nserver: Traceback\n\nclient: 500"

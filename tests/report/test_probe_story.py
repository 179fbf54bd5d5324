from __future__ import annotations

import json
from typing import Any

from imgcheck.facts.probes import ProbeFacts
from imgcheck.outcome import Fault
from imgcheck.report.probe_story import layout_trial, render_offered, render_offered_json, render_trial_json
from imgcheck.trying import Offered, Trial

FAULT = Fault(
    subject="exporter",
    summary="Probe exporter: it ended with status 1 before it answered",
    expected="HTTP 200 on :9400/metrics within 30 s",
    remedy="Install x.",
    evidence="Traceback\n\x1b[2Jboom",
)


def trial(*faults: Fault, **told: Any) -> Trial:
    facts = ProbeFacts.model_validate({"name": "exporter", "wall_seconds": 1.25, **told})
    return Trial(
        image="team:1",
        digest="sha256:" + "0" * 64,
        name="exporter",
        about="It exports",
        command=("/opt/venv/bin/python", "-c", "import a\nimport b"),
        told=facts,
        faults=faults,
        notices=(),
    )


def lines(one: Trial) -> list[str]:
    return [line.text for line in layout_trial(one)]


def test_a_probe_that_succeeds_shows_what_it_said() -> None:
    assert lines(trial(reached="done", output="up\nready\n", answer="HTTP 200: ok\nmore")) == [
        "✓ kept     exporter  team:1 sha256:000000000000  1.2 s",
        "  proves     It exports",
        "  runs       /opt/venv/bin/python -c '…'",
        "  answer     HTTP 200: ok",
        "  output     │ up",
        "             │ ready",
    ]


def test_a_probe_that_fails_shows_what_was_wanted_and_the_way_out() -> None:
    assert lines(trial(FAULT, reached="answer"))[3:] == [
        "  broken     Probe exporter: it ended with status 1 before it answered",
        "  expected   HTTP 200 on :9400/metrics within 30 s",
        "  evidence   │ Traceback",
        "             │ \\x1b[2Jboom",
        "  fix        Install x.",
    ]
    assert lines(trial(FAULT, reached="answer"))[0].startswith("✗ broken   exporter")


def test_a_note_does_not_break_it() -> None:
    left = Fault(subject="exporter: leftovers", summary="Probe exporter left 1 process behind", note=True)
    assert trial(left, reached="done").exit_code == 0
    assert trial(FAULT, reached="answer").exit_code == 1
    assert "  note       Probe exporter left 1 process behind" in lines(trial(left, reached="done"))


def test_as_json_every_fact_is_told() -> None:
    answer = json.loads(render_trial_json(trial(FAULT, reached="answer", exit_code=1)))
    assert (answer["kept"], answer["facts"]["exit_code"], answer["findings"][0]["remedy"]) == (False, 1, "Install x.")


OFFERED = (
    Offered(
        name="web", about="It answers", requires=("flask",), options=(("port", "80"), ("to", "")), where="built in"
    ),
    Offered(name="exporter", about="", requires=(), options=(), where="c.yaml:3"),
)


def test_the_list_of_probes_says_what_each_proves_needs_and_takes() -> None:
    assert render_offered(OFFERED).splitlines() == [
        "web       It answers",
        "          needs flask; option port: 80; option to: (empty)",
        "exporter  a probe of the contract",
        "          c.yaml:3",
    ]
    assert json.loads(render_offered_json(OFFERED))[0]["options"] == {"port": "80", "to": ""}

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from imgcheck.outcome import CheckState, FindingState, Report
from imgcheck.report import RENDERERS
from imgcheck.report.terminal import render_for, render_terminal, wants_color
from imgcheck.report.verdict import sentence
from tests.report import samples

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "report.schema.json").read_text("utf-8"))
REPORTS = {"broken": samples.BROKEN, "kept": samples.KEPT, "nothing": samples.NOTHING, "hostile": samples.HOSTILE}
LIVING = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
Golden = Callable[[str, str], None]
MANY = replace(
    samples.BROKEN,
    results=(
        samples.result(
            "IC203",
            "missing-file",
            CheckState.BROKEN,
            examined=100,
            unit="files",
            findings=tuple(
                samples.finding("IC203", "missing-file", FindingState.BROKEN, subject=f"file{i:03}", summary="Gone.")
                for i in range(100)
            ),
        ),
    ),
)


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("renderer", RENDERERS)
def test_renderers_as_golden(name: str, renderer: str, golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("imgcheck.report.sarif.page", "# The page of {}".format)
    monkeypatch.setattr("imgcheck.report.sarif.sections", lambda name: {"What it means": f"What {name} means."})
    golden(f"{name}.{renderer}", RENDERERS[renderer](REPORTS[name]))


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize(
    ("look", "options"),
    [
        pytest.param("100", {"width": 100, "color": False}, id="wide"),
        pytest.param("80", {"width": 80, "color": False}, id="narrow"),
        pytest.param("40", {"width": 40, "color": False}, id="very-narrow"),
        pytest.param("color", {"width": 100, "color": True}, id="color"),
        pytest.param("verbose", {"width": 100, "color": False, "verbosity": 1}, id="verbose"),
        pytest.param("quiet", {"width": 100, "color": False, "verbosity": -1}, id="quiet"),
    ],
)
def test_terminal_as_golden(name: str, look: str, options: dict[str, Any], golden: Golden) -> None:
    golden(f"{name}.{look}.terminal", render_terminal(REPORTS[name], **options))


@pytest.mark.parametrize("name", REPORTS)
def test_json_is_as_the_schema_says(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMA)
    Draft202012Validator(SCHEMA).validate(json.loads(RENDERERS["json"](REPORTS[name])))


def test_json_keeps_the_content_of_hostile_text() -> None:
    assert json.loads(RENDERERS["json"](samples.HOSTILE))["findings"][0]["subject"] == samples.HOSTILE_TEXT


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 200])
@pytest.mark.parametrize("name", REPORTS)
def test_no_row_is_wider_than_the_terminal(name: str, width: int) -> None:
    rendered = render_terminal(REPORTS[name], width=width, color=False)
    assert max(map(len, rendered.splitlines())) <= width


def test_wrapping_and_colour_lose_no_word() -> None:
    whole = "".join(RENDERERS["text"](samples.BROKEN).replace("│", "").split())
    narrow = render_terminal(samples.BROKEN, width=70, color=True, verbosity=1)
    assert "".join(re.sub(r"\x1b\[[0-9;]*m", "", narrow).replace("│", "").split()) == whole


@pytest.mark.parametrize(
    "rendered",
    [
        pytest.param(RENDERERS["text"](samples.HOSTILE), id="text"),
        pytest.param(RENDERERS["json"](samples.HOSTILE), id="json"),
        pytest.param(RENDERERS["tap"](samples.HOSTILE), id="tap"),
        pytest.param(RENDERERS["junit"](samples.HOSTILE), id="junit"),
        pytest.param(render_terminal(samples.HOSTILE, width=90, color=False, verbosity=1), id="terminal"),
        pytest.param(render_terminal(samples.HOSTILE, width=90, color=False, verbosity=-1), id="quiet"),
    ],
)
def test_no_control_character_of_an_image_reaches_the_reader(rendered: str) -> None:
    assert not LIVING.search(rendered)
    assert "[bold red]markup[/]" in rendered
    assert ":boom:" in rendered
    assert not re.search(r"^kept", rendered, re.MULTILINE)


def test_colour_comes_from_us_alone() -> None:
    rendered = render_terminal(samples.HOSTILE, width=90, color=True, verbosity=1)
    assert not LIVING.search(re.sub(r"\x1b\[[0-9;]*m", "", rendered))
    assert "\x1b[2J" not in rendered


def test_a_check_that_breaks_in_many_places_does_not_bury_the_rest() -> None:
    rendered = render_terminal(MANY, width=80, color=False)
    assert rendered.count("\n✗ IC203 missing-file") == 10
    assert "90 more IC203 missing-file" in rendered
    assert "and 80 more (-v lists them)" in rendered
    assert RENDERERS["text"](MANY).count("\n✗ IC203 missing-file") == 100


def test_a_long_value_is_bounded_on_a_terminal_and_whole_in_text() -> None:
    fault = replace(samples.MOVED.fault, actual="x" * 9999)
    broken = replace(samples.MOVED, fault=fault)
    report = replace(samples.BROKEN, results=(replace(samples.BROKEN.results[0], findings=(broken,)),))
    assert "(9,999 characters, -v shows them)" in render_terminal(report, width=80, color=False).replace("\n", " ")
    assert "x" * 9999 in RENDERERS["text"](report)


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        pytest.param({}, (True, False), id="terminals-have-colour"),
        pytest.param({"TERM": "dumb"}, (False, False), id="dumb-terminal"),
        pytest.param({"NO_COLOR": "1"}, (False, False), id="no-color"),
        pytest.param({"NO_COLOR": ""}, (True, False), id="empty-no-color-says-nothing"),
        pytest.param({"FORCE_COLOR": "1"}, (True, True), id="force-color"),
        pytest.param({"FORCE_COLOR": "0"}, (True, False), id="force-color-zero"),
        pytest.param({"NO_COLOR": "1", "FORCE_COLOR": "1"}, (False, False), id="no-color-wins"),
    ],
)
def test_colour(environ: dict[str, str], expected: tuple[bool, bool]) -> None:
    assert (wants_color(Terminal(), environ), wants_color(StringIO(), environ)) == expected


def test_a_pipe_gets_the_plain_and_complete_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert render_for(samples.BROKEN, StringIO()) == RENDERERS["text"](samples.BROKEN)
    assert render_for(samples.BROKEN, StringIO(), -1).splitlines()[-1] == sentence(samples.BROKEN)


def test_forced_colour_in_a_pipe_is_complete_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    rendered = render_for(samples.BROKEN, StringIO())
    assert re.sub(r"\x1b\[[0-9;]*m", "", rendered) == RENDERERS["text"](samples.BROKEN)


def test_what_the_user_asks_for_beats_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" in render_for(samples.BROKEN, StringIO(), color=True)


def test_a_terminal_gets_its_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "70")
    assert render_for(samples.BROKEN, Terminal()) == render_terminal(samples.BROKEN, width=70, color=False)


def strict(report: Report) -> Report:
    return replace(report, strict=True, tags=("a:1", "b:1"))


@pytest.mark.parametrize(
    ("report", "words"),
    [
        pytest.param(
            samples.KEPT, "KEPT: 3 checks, 5,312 modules, 143 distributions, 1 probe; tagged my/train:1", id="kept"
        ),
        pytest.param(
            replace(samples.KEPT, results=(*samples.KEPT.results, samples.NOTHING.results[1]), tags=()),
            "KEPT: 3 checks, 5,312 modules, 143 distributions, 1 probe; 1 check unverified",
            id="unverified-is-never-hidden",
        ),
        pytest.param(
            strict(samples.NOTHING),
            "BROKEN: 1 check unverified, and --strict asks for proof; a:1, b:1 were not tagged",
            id="strict",
        ),
        pytest.param(
            replace(samples.BROKEN, results=samples.BROKEN.results[9:10]),
            "ERROR: 1 check could not run; my/train:1 was not tagged",
            id="error",
        ),
    ],
)
def test_the_verdict_says_what_happens(report: Report, words: str) -> None:
    assert sentence(report) == words

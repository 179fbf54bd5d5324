"""Each format against a validator that is not ours, and against what its readers make of it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import xmlschema
from jsonschema import Draft4Validator, Draft202012Validator
from markdown_it import MarkdownIt
from tap.parser import Parser

from imgcheck.checks import CHECKS
from imgcheck.outcome import CheckState, FindingState, Report
from imgcheck.report import RENDERERS
from imgcheck.report.markdown import COMMENT
from imgcheck.report.marked import code, marked
from tests.report import samples
from tests.report.test_renderers import LIVING, MANY, REPORTS

SCHEMAS = Path(__file__).parent / "schemas"
JUNIT = xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd")
SARIF = Draft4Validator(json.loads((SCHEMAS / "sarif-2.1.0-rtm.5.json").read_text("utf-8")))
CODE_QUALITY = Draft202012Validator(json.loads((SCHEMAS / "gitlab-code-quality.json").read_text("utf-8")))
ALL = {**REPORTS, "many": MANY, "strict": replace(samples.BROKEN, strict=True)}
every_report = pytest.mark.parametrize("report", ALL.values(), ids=ALL)


def sarif(report: Report) -> dict[str, Any]:
    run: dict[str, Any] = json.loads(RENDERERS["sarif"](report))["runs"][0]
    return run


@every_report
def test_junit_is_as_jenkins_wants_it(report: Report) -> None:
    JUNIT.validate(RENDERERS["junit"](report))


def test_junit_tells_failures_errors_and_what_is_skipped_apart() -> None:
    root = ET.fromstring(RENDERERS["junit"](samples.BROKEN))
    suites = {one.get("name"): one for one in root}
    imports = suites["IC301 unimportable-module"]
    assert (imports.get("tests"), imports.get("failures"), imports.get("skipped")) == ("5", "2", "3")
    assert suites["IC604 failed-smoke"].get("errors") == "1"
    assert suites["IC105 wrong-python"].get("skipped") == "1"
    assert suites["IC102 missing-pin"].find("testcase/skipped") is None
    assert suites["collected facts"].get("time") == root.get("time") == "187.200"
    assert "contracts/base.yaml:7" in (suites["IC101 moved-pin"].findtext("testcase/failure") or "")


def test_junit_fails_what_is_unverified_where_proof_is_asked_for() -> None:
    root = ET.fromstring(RENDERERS["junit"](replace(samples.BROKEN, strict=True)))
    assert {one.get("name"): one.get("failures") for one in root}["IC601 failed-probe"] == "1"


@every_report
def test_sarif_is_as_its_schema_says(report: Report) -> None:
    SARIF.validate(json.loads(RENDERERS["sarif"](report)))


@every_report
def test_each_sarif_result_has_its_rule_a_place_and_a_fingerprint(report: Report) -> None:
    run = sarif(report)
    for one in run["results"]:
        assert run["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"]
        assert one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"IC\d{3}-[0-9a-f]{8}", one["partialFingerprints"]["imgcheckFinding/v1"])
        assert one["level"] == "none" or one["kind"] == "fail"


def test_sarif_points_at_the_line_to_edit_and_at_the_promise() -> None:
    moved = sarif(samples.BROKEN)["results"][0]
    assert moved["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "requirements.txt"},
        "region": {"startLine": 3},
    }
    assert moved["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "contracts/base.yaml"


def test_sarif_suppresses_what_is_excused() -> None:
    states = {one["properties"]["state"]: bool(one["suppressions"]) for one in sarif(samples.BROKEN)["results"]}
    assert states == {"broken": False, "inherited": True, "waived": True, "unverified": False, "warned": False}


def test_sarif_says_who_accepted_what_is_waived() -> None:
    (waived,) = [one for one in sarif(samples.BROKEN)["results"] if one["properties"]["state"] == "waived"]
    assert waived["suppressions"][0]["justification"].endswith("Windows only (platform, until 2027-01-31)")


def test_sarif_says_which_checks_could_not_run() -> None:
    told = sarif(samples.BROKEN)["invocations"][0]
    assert not told["executionSuccessful"]
    assert told["toolExecutionNotifications"][0]["associatedRule"]["id"] == "IC604"


def test_sarif_rules_have_the_page_as_help() -> None:
    results = tuple(samples.result(one.code, one.name, CheckState.KEPT, examined=1, unit="pins") for one in CHECKS)
    rules = sarif(replace(samples.KEPT, results=results))["tool"]["driver"]["rules"]
    assert all("## Fix" in rule["help"]["markdown"] for rule in rules)
    assert all(len(rule["fullDescription"]["text"]) > 40 for rule in rules)


@every_report
def test_code_quality_is_as_gitlab_documents_it(report: Report) -> None:
    issues = json.loads(RENDERERS["gitlab"](report))
    CODE_QUALITY.validate(issues)
    assert len({one["fingerprint"] for one in issues}) == len(issues)


def test_code_quality_leaves_out_what_is_waived() -> None:
    issues = json.loads(RENDERERS["gitlab"](samples.BROKEN))
    assert [one["severity"] for one in issues] == ["major", "major", "major", "info", "info", "minor", "minor"]
    assert issues[0]["location"] == {"path": "requirements.txt", "lines": {"begin": 3}}


def tap_lines(report: Report) -> list[Any]:
    return list(Parser().parse(StringIO(RENDERERS["tap"](report))))


@every_report
def test_tap_is_read_line_by_line(report: Report) -> None:
    lines = tap_lines(report)
    assert [one.category for one in lines[:2]] == ["version", "plan"]
    points = [one for one in lines if one.category == "test"]
    assert lines[1].expected_tests == len(points) == len(report.results)
    assert [one.number for one in points] == list(range(1, len(points) + 1))
    failed = {CheckState.BROKEN, CheckState.ERROR} | ({CheckState.UNVERIFIED} if report.strict else set())
    assert [one.ok for one in points] == [one.state not in failed for one in report.results]
    assert [one.skip for one in points] == [
        one.state is CheckState.SKIPPED or (one.state is CheckState.UNVERIFIED and not report.strict)
        for one in report.results
    ]


def commands(report: Report) -> list[tuple[str, dict[str, str], str]]:
    """Workflow commands as the runner reads them: a line each, properties by commas, percent-escapes undone."""
    found = []
    for line in RENDERERS["github"](report).splitlines():
        match = re.fullmatch(r"::(error|warning|notice)(?: ([^:]*))?::(.*)", line)
        assert match, line
        properties = dict(one.split("=", 1) for one in (match[2] or "").split(",") if one)
        found.append((match[1], properties, match[3]))
    return found


@every_report
def test_annotations_are_commands_and_no_more_than_a_step_shows(report: Report) -> None:
    found = commands(report)
    for kind in ("error", "warning"):
        assert sum(one[0] == kind for one in found) <= 10
    assert all(set(properties) <= {"file", "line", "title"} for _, properties, _ in found)


def test_annotations_stand_at_the_line_to_edit() -> None:
    assert ("error", {"file": "requirements.txt", "line": "3", "title": "IC101 moved-pin%3A protobuf"}) in [
        one[:2] for one in commands(samples.BROKEN)
    ]


def test_more_annotations_than_are_shown_are_counted() -> None:
    assert "91 findings more" in [message for kind, _, message in commands(MANY) if kind == "error"][-1]


@every_report
@pytest.mark.parametrize("name", ["markdown", "summary"])
def test_markdown_has_no_markup_but_ours(name: str, report: Report) -> None:
    tokens = MarkdownIt("gfm-like", {"linkify": False, "html": True}).parse(RENDERERS[name](report))
    inline = [child for token in tokens for child in token.children or ()]
    assert not {child.type for child in inline} & {"link_open", "image", "s_open"}
    html = {token.content.strip() for token in (*tokens, *inline) if token.type in {"html_block", "html_inline"}}
    ours = re.compile(r"(<!-- (imgcheck )?-->|</details>|<details><summary>[^<>]*</summary>|\n)*")
    assert all(ours.fullmatch(text) for text in html), html


HOSTILE = (
    "<img src=x onerror=alert(1)> [a](http://evil.example) ![i](x) @octocat #12 ~bug !3 `x` | **b** https://e.example"
)


def test_hostile_text_is_text_in_markdown() -> None:
    rendered = MarkdownIt("gfm-like", {"linkify": False, "html": True}).renderInline(marked(HOSTILE))
    assert not re.search(r"<(?!!-- -->)", rendered), rendered
    assert "@<!-- -->octocat" in rendered
    assert "#<!-- -->12" in rendered


@pytest.mark.parametrize("text", ["a`b", "``", "`a`", "plain", "a\\|b"])
def test_code_spans_hold_any_text(text: str) -> None:
    assert MarkdownIt().renderInline(code(text)).startswith("<code>")


def test_a_comment_stays_under_its_limit_and_says_what_it_left_out() -> None:
    long = replace(samples.NUMBA.fault, evidence="x" * 300_000, remedy="y" * 900, summary="z" * 3000)
    findings = tuple(
        replace(samples.NUMBA, fault=replace(long, subject=f"package{index}" * 40), state=state)
        for index in range(400)
        for state in (FindingState.BROKEN, FindingState.UNVERIFIED, FindingState.WAIVED)
    )
    result = replace(samples.BROKEN.results[5], findings=findings)
    text = RENDERERS["markdown"](replace(samples.BROKEN, results=(result,)))
    assert len(text.encode()) <= COMMENT
    assert "findings more: the log and the full report have them all" in text


@pytest.mark.parametrize("name", RENDERERS)
def test_no_living_character_of_an_image_is_in_any_format(name: str) -> None:
    assert not LIVING.search(RENDERERS[name](samples.HOSTILE))

"""SARIF 2.1.0, for code scanning: a rule for each check with its page as help, a result for each finding.

What is waived or inherited is suppressed, with the reason; what could not be told is open; a check that could not run
is a notification. Fingerprints do not depend on lines, images or runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from imgcheck import __version__
from imgcheck.outcome import CheckResult, CheckState, Finding, FindingState, Report
from imgcheck.pages import page, sections
from imgcheck.report.json import dump
from imgcheck.report.places import Place, as_uri, main_place, places
from imgcheck.report.told import headline, whole
from imgcheck.report.untrusted import neutral, neutral_lines
from imgcheck.report.verdict import sentence

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT: Final = "imgcheckFinding/v1"
_LEVELS: Final = {
    FindingState.BROKEN: "error",
    FindingState.WARNED: "warning",
    FindingState.UNVERIFIED: "none",
    FindingState.INHERITED: "note",
    FindingState.WAIVED: "error",
}
_SUPPRESSED: Final = {
    FindingState.WAIVED: "waived by the contract",
    FindingState.INHERITED: "the base image has the very same",
}
_MARKS: Final = re.compile(r"[`*_]")


def render_sarif(report: Report) -> str:
    run = {
        "tool": {"driver": _driver(report.results)},
        "invocations": [_invocation(report)],
        "columnKind": "unicodeCodePoints",
        "results": [_result(report, one) for one in report.findings],
        "properties": {"image": report.image, "digest": report.digest, "contract": report.contract},
    }
    return dump({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _driver(results: Sequence[CheckResult]) -> dict[str, Any]:
    return {"name": "imgcheck", "semanticVersion": __version__, "rules": [_rule(one) for one in results]}


def _rule(result: CheckResult) -> dict[str, Any]:
    meaning = sections(result.name).get("What it means", "") or result.summary
    text = page(result.name) or result.summary
    return {
        "id": result.code,
        "name": "".join(word.capitalize() for word in result.name.split("-")),
        "shortDescription": {"text": result.summary},
        "fullDescription": {"text": " ".join(_MARKS.sub("", meaning).split())},
        "help": {"text": _MARKS.sub("", text), "markdown": text},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["container", "image", result.name], "problem.severity": "error"},
    }


def _invocation(report: Report) -> dict[str, Any]:
    troubles = [one for one in report.results if one.state is CheckState.ERROR]
    return {
        "executionSuccessful": not troubles,
        "exitCode": int(report.exit_code),
        "exitCodeDescription": neutral(sentence(report)),
        "toolExecutionNotifications": [_trouble(report, one) for one in troubles],
    }


def _trouble(report: Report, result: CheckResult) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": "\n".join((f"{result.code} {result.name} could not run", *neutral_lines(result.reason)))},
        "associatedRule": {"id": result.code, "index": _index(report, result.code)},
    }


def _index(report: Report, code: str) -> int:
    return next(index for index, one in enumerate(report.results) if one.code == code)


def _result(report: Report, finding: Finding) -> dict[str, Any]:
    return {
        "ruleId": finding.code,
        "ruleIndex": _index(report, finding.code),
        "kind": "open" if finding.state is FindingState.UNVERIFIED else "fail",
        "level": _LEVELS[finding.state],
        "message": {"text": "\n".join((headline(finding), whole(finding)))},
        "locations": [_location(main_place(report, finding))],
        "relatedLocations": [
            {"id": number, "message": {"text": place.what}, **_location(place)}
            for number, place in enumerate(places(finding)[1:], 1)
        ],
        "partialFingerprints": {FINGERPRINT: finding.id},
        "suppressions": [*_suppressions(finding)],
        "properties": {"subject": neutral(finding.fault.subject), "state": finding.state.value},
    }


def _location(place: Place) -> dict[str, Any]:
    physical = {"artifactLocation": {"uri": as_uri(place.path)}, "region": {"startLine": place.line}}
    return {"physicalLocation": physical}


def _suppressions(finding: Finding) -> Iterator[dict[str, str]]:
    if finding.state in _SUPPRESSED:
        excuse = f": {neutral(finding.excuse)}" if finding.excuse else ""
        yield {"kind": "external", "status": "accepted", "justification": f"{_SUPPRESSED[finding.state]}{excuse}"}

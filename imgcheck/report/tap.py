"""TAP version 14: a subtest for each check, a test point for each finding, diagnostics as YAML.

What is excused or could not be told is `# TODO` or `# SKIP`, as the protocol has it; a check that could not run is not
ok.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from imgcheck.outcome import CheckResult, CheckState, Finding, FindingState, Report
from imgcheck.report.told import MEANINGS
from imgcheck.report.untrusted import neutral
from imgcheck.report.verdict import sentence
from imgcheck.report.wording import counted

_INDENT: Final = "    "
_DIRECTIVES: Final = {
    FindingState.BROKEN: "",
    FindingState.WARNED: "TODO",
    FindingState.INHERITED: "TODO",
    FindingState.WAIVED: "TODO",
    FindingState.UNVERIFIED: "SKIP",
}


def render_tap(report: Report) -> str:
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield "TAP version 14"
    yield f"1..{len(report.results)}"
    for number, result in enumerate(report.results, 1):
        if result.findings:
            yield from _subtest(result, strict=report.strict)
        yield from _point(number, result, strict=report.strict)
    yield f"# {neutral(sentence(report))}"


def _subtest(result: CheckResult, *, strict: bool) -> Iterator[str]:
    yield f"# Subtest: {result.code} {result.name}"
    yield f"{_INDENT}1..{len(result.findings)}"
    for number, finding in enumerate(result.findings, 1):
        yield from (_INDENT + line for line in _finding(number, finding, strict=strict))


def _finding(number: int, finding: Finding, *, strict: bool) -> Iterator[str]:
    directive = "" if strict and finding.state is FindingState.UNVERIFIED else _DIRECTIVES[finding.state]
    mark = "ok" if directive == "SKIP" else "not ok"
    why = f" # {directive} {MEANINGS[finding.state]}" if directive else ""
    yield f"{mark} {number} - {_escaped(finding.fault.subject)}{why}"
    yield from _diagnostics(finding)


def _diagnostics(finding: Finding) -> Iterator[str]:
    """JSON is YAML, and its strings have no line ends of their own."""
    fault = finding.fault
    told = {
        "id": finding.id,
        "state": finding.state.value,
        "message": fault.summary,
        "expected": fault.expected,
        "found": fault.actual,
        "base": fault.baseline,
        "step": fault.cause.step,
        "forced_by": fault.cause.requirement,
        "at": str(fault.cause.location or fault.cause.step_location or fault.location or ""),
        "fix": fault.remedy,
        "details": list(fault.details),
        "evidence": fault.evidence,
    }
    yield "  ---"
    yield from (f"  {key}: {_json(value)}" for key, value in told.items() if value)
    yield "  ..."


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True).replace("\x7f", "\\u007f").replace("##", "#\\u0023")


def _point(number: int, result: CheckResult, *, strict: bool) -> Iterator[str]:
    name = f"{number} - {result.code} {result.name}"
    reason = f" {_escaped(result.reason)}" if result.reason else ""
    untold = result.state is CheckState.UNVERIFIED or result.count(FindingState.UNVERIFIED) > 0
    if result.state in {CheckState.BROKEN, CheckState.ERROR} or (strict and untold):
        yield f"not ok {name}"
        yield from _why(result)
    elif result.state is CheckState.KEPT:
        yield f"ok {name} ({counted(result.examined, result.unit)})"
    else:
        yield f"ok {name} # SKIP{reason or ' ' + result.state.value}"


def _why(result: CheckResult) -> Iterator[str]:
    if result.reason:
        yield from ("  ---", f"  message: {_json(result.reason)}", f"  severity: {result.state.value}", "  ...")


def _escaped(text: str) -> str:
    """A description in one line, in which # begins no directive."""
    return neutral(text).replace("\\", "\\\\").replace("#", "\\#")

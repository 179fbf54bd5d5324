"""JUnit XML, as Jenkins and GitLab read it: a suite for each check, a case for each finding, and a suite of times.

Findings that break the contract are failures, checks that could not run are errors; what is excused or could not be
told is skipped, and says why. Checks cost next to nothing: the time goes into collecting facts, so there it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree as ET

from imgcheck.outcome import CheckResult, CheckState, Finding, FindingState, Report, Source
from imgcheck.report.told import MEANINGS, whole
from imgcheck.report.untrusted import neutral, neutral_lines
from imgcheck.report.verdict import sentence
from imgcheck.report.wording import counted

_EXCUSED: Final = frozenset({FindingState.INHERITED, FindingState.WAIVED})


@dataclass(frozen=True, kw_only=True)
class _Case:
    """One test case; `kind` is failure, error or skipped, or empty for a pass."""

    name: str
    kind: str = ""
    type: str = ""
    message: str = ""
    text: str = ""
    seconds: float = 0.0


def render_junit(report: Report) -> str:
    root = ET.Element("testsuites")
    suites = [(f"{one.code} {one.name}", _cases(one, report)) for one in report.results]
    if report.sources:
        suites.append(("collected facts", [_collected(source) for source in report.sources]))
    for name, cases in suites:
        _add_suite(root, name, cases, report)
    cases = [case for _, found in suites for case in found]
    root.attrib |= {"name": "imgcheck", **_totals(cases)}
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _totals(cases: Sequence[_Case]) -> dict[str, str]:
    return {
        "tests": str(len(cases)),
        "failures": str(sum(case.kind == "failure" for case in cases)),
        "errors": str(sum(case.kind == "error" for case in cases)),
        "time": _time(sum(case.seconds for case in cases)),
    }


def _time(seconds: float) -> str:
    return f"{seconds:,.3f}"


def _add_suite(root: ET.Element, name: str, cases: Sequence[_Case], report: Report) -> None:
    skipped = {"skipped": str(sum(case.kind == "skipped" for case in cases))}
    suite = ET.SubElement(root, "testsuite", {"name": name, **_totals(cases), **skipped})
    properties = ET.SubElement(suite, "properties")
    told = {"image": report.image, "digest": report.digest, "contract": report.contract, "verdict": sentence(report)}
    for key, value in told.items():
        ET.SubElement(properties, "property", {"name": key, "value": neutral(value)})
    for case in cases:
        _add_case(suite, name, case)


def _add_case(suite: ET.Element, classname: str, case: _Case) -> None:
    element = ET.SubElement(suite, "testcase", {"classname": classname, "name": case.name, "time": _time(case.seconds)})
    if case.kind:
        told = {"type": case.type, "message": case.message}
        ET.SubElement(element, case.kind, told).text = case.text or None
    elif case.text:
        ET.SubElement(element, "system-out").text = case.text


def _cases(result: CheckResult, report: Report) -> list[_Case]:
    found = [_of_finding(one, strict=report.strict) for one in result.findings]
    if result.state is CheckState.ERROR or (result.reason and result.state is CheckState.BROKEN):
        reason = neutral_lines(result.reason)
        message = reason[0] if reason else "could not run"
        found.append(_Case(name="could run", kind="error", type="error", message=message, text="\n".join(reason)))
    if not found:
        found.append(_as_a_whole(result, strict=report.strict))
    return found


def _as_a_whole(result: CheckResult, *, strict: bool) -> _Case:
    """The one case of a check without findings."""
    name = neutral(result.summary)
    if result.state is CheckState.KEPT:
        return _Case(name=name, text=counted(result.examined, result.unit))
    kind = "failure" if strict and result.state is CheckState.UNVERIFIED else "skipped"
    return _Case(name=name, kind=kind, type=result.state.value, message=neutral(result.reason))


def _of_finding(finding: Finding, *, strict: bool) -> _Case:
    kind = {FindingState.BROKEN: "failure", FindingState.UNVERIFIED: "failure" if strict else "skipped"}
    summary = neutral(finding.fault.summary)
    excused = finding.state is not FindingState.BROKEN
    return _Case(
        name=f"{neutral(finding.fault.subject)} [{finding.id}]",
        kind=kind.get(finding.state, "skipped" if finding.state in _EXCUSED else ""),
        type=finding.state.value,
        message=f"{MEANINGS[finding.state]}: {summary}" if excused else summary,
        text=whole(finding),
    )


def _collected(source: Source) -> _Case:
    name = neutral(f"{source.what} of {source.image}")
    if source.reused:
        return _Case(name=name, text=neutral(f"reused, collected {source.collected_at}"))
    return _Case(name=name, seconds=source.seconds)

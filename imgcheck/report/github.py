"""GitHub's annotations: workflow commands on standard output, shown beside the lines of a pull request.

A step shows at most ten of each kind, so the tenth tells what is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from imgcheck.outcome import CheckState, Finding, FindingState, Report
from imgcheck.report.places import main_place
from imgcheck.report.told import essence, headline
from imgcheck.report.untrusted import neutral, neutral_lines
from imgcheck.report.verdict import sentence, verdict
from imgcheck.report.wording import counted

SHOWN: Final = 10
"""Annotations of one kind that a step may show."""
_KINDS: Final = {FindingState.BROKEN: "error", FindingState.WARNED: "warning", FindingState.UNVERIFIED: "warning"}


def render_github(report: Report) -> str:
    lines = [
        *_of_kind(report, "error"),
        *_of_kind(report, "warning"),
        _command("notice", neutral(sentence(report)), {}),
    ]
    return "\n".join(lines) + "\n"


def _of_kind(report: Report, kind: str) -> list[str]:
    found = [*_troubles(report, kind), *(_annotation(report, one, kind) for one in _findings(report, kind))]
    if len(found) <= SHOWN:
        return found
    rest = len(found) - SHOWN + 1
    more = f"{counted(rest, 'findings')} more; the summary and the log have them all ({verdict(report).value})"
    return [*found[: SHOWN - 1], _command(kind, more, {"title": "imgcheck"})]


def _findings(report: Report, kind: str) -> Sequence[Finding]:
    return [one for one in report.findings if _KINDS.get(one.state) == kind]


def _troubles(report: Report, kind: str) -> Iterator[str]:
    for result in report.results:
        if kind == "error" and result.state is CheckState.ERROR:
            told = "\n".join(("The check could not run.", *neutral_lines(result.reason)))
            yield _command(kind, told, {"title": f"{result.code} {result.name}"})


def _annotation(report: Report, finding: Finding, kind: str) -> str:
    place = main_place(report, finding)
    told = "\n".join((headline(finding), *essence(finding)))
    title = f"{finding.code} {finding.name}: {neutral(finding.fault.subject)}"
    return _command(kind, told, {"file": neutral(place.path), "line": str(place.line), "title": title})


def _command(kind: str, message: str, properties: dict[str, str]) -> str:
    told = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{kind}{' ' if told else ''}{told}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

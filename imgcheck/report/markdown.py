"""Markdown for a comment on a pull request: the verdict, what broke, why, the way out; details folded.

It stays under the size of a comment: blocks that do not fit become lines, and lines that do not fit are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from imgcheck.outcome import CheckResult, CheckState, Finding, FindingState, Report
from imgcheck.report.line import symbol
from imgcheck.report.marked import code, fenced, marked
from imgcheck.report.places import places
from imgcheck.report.told import whole
from imgcheck.report.untrusted import neutral_lines
from imgcheck.report.verdict import Verdict, sentence, verdict
from imgcheck.report.wording import counted, short_digest

COMMENT: Final = 65_536
"""Characters that GitHub takes in a comment; GitLab takes more."""
MARKER: Final = "<!-- imgcheck -->"
"""Its first line, by which a later run finds the comment to replace it."""
_EVIDENCE: Final = 40
_ICONS: Final = {
    Verdict.KEPT: ":white_check_mark:",
    Verdict.BROKEN: ":x:",
    Verdict.ERROR: ":warning:",
    Verdict.NOTHING_CHECKED: ":warning:",
}


def render_markdown(report: Report) -> str:
    return document(report, COMMENT)


def document(report: Report, limit: int) -> str:
    """The whole, in no more characters, and no more UTF-8 bytes, than `limit`."""
    opening = "\n".join(_opening(report))
    closing = "\n".join(("", *_others(report, room=limit // 8), *_checks(report)))
    if _size(opening + closing) > limit // 2:
        closing = "\n".join(("", *_others(report, room=0)))
    middle = _broken(report, limit - _size(opening) - _size(closing) - 200)
    return f"{opening}\n{middle}{closing}\n"


def _size(text: str) -> int:
    return len(text.encode())


def _opening(report: Report) -> Iterator[str]:
    word, colon, rest = sentence(report).partition(":")
    yield MARKER
    yield f"### {_ICONS[verdict(report)]} imgcheck: {marked(word.lower())}"
    yield ""
    yield f"**{marked(word)}{colon}**{marked(rest)[:2000]}"
    yield ""
    named = (
        ("image", report.image, report.digest),
        ("contract", report.contract, ""),
        ("base", report.base, report.base_digest),
    )
    told = [f"{label} {_bounded(name)}{_digest(digest)}" for label, name, digest in named if name]
    yield " · ".join(told)
    yield ""
    for result in report.results:
        if result.state is CheckState.ERROR:
            yield f"- :warning: **{result.code} {result.name}** could not run: {marked(_first(result.reason))}"
            yield ""


def _bounded(text: str) -> str:
    return code(text if len(text) < 300 else text[:299] + "…")


def _digest(digest: str) -> str:
    return f" ({code(short_digest(digest))})" if digest else ""


def _first(text: str) -> str:
    return next(iter(neutral_lines(text)), "")[:500]


def _broken(report: Report, room: int) -> str:
    """As many in full as fit, then as many in a line, then a count."""
    findings = [one for one in report.findings if one.state is FindingState.BROKEN]
    written: list[str] = []
    for index, finding in enumerate(findings):
        for text in ("\n".join((*_block(finding), "")), _brief(finding)):
            if _size(text) + 1 <= room - (200 if index + 1 < len(findings) else 0):
                written.append(text)
                room -= _size(text) + 1
                break
        else:
            left = len(findings) - index
            written.append(f"\n… and {counted(left, 'findings')} more: the log and the full report have them all.\n")
            break
    return "\n".join(written)


def _block(finding: Finding) -> Iterator[str]:
    fault = finding.fault
    yield f"#### {finding.code} {finding.name}: {_bounded(fault.subject)}"
    yield ""
    yield marked(fault.summary)
    yield ""
    values = (("expected", fault.expected), ("found", fault.actual), ("base", fault.baseline))
    for label, text in values:
        if text:
            yield f"- **{label}** {_bounded(text)}"
    if fault.cause.requirement:
        yield f"- **forced by** {marked(fault.cause.requirement)}"
    if fault.cause.step:
        yield f"- **step** {_bounded(fault.cause.step)}"
    for place in places(finding):
        yield f"- {place.what}: {_bounded(str(place.location))}"
    if fault.remedy:
        yield f"- **fix** {marked(fault.remedy)}"
    yield from _folded(finding)


def _folded(finding: Finding) -> Iterator[str]:
    fault = finding.fault
    if not (fault.evidence.strip() or fault.details):
        return
    lines = whole(finding).splitlines()
    shown = lines if len(lines) <= 2 * _EVIDENCE else [*lines[:_EVIDENCE], "…", *lines[-_EVIDENCE:]]
    more = f", {counted(len(fault.details), 'subjects')} more" if fault.details else ""
    yield ""
    yield f"<details><summary>Details{more} ({finding.id})</summary>"
    yield ""
    yield fenced([line[:400] for line in shown])
    yield ""
    yield "</details>"


def _brief(finding: Finding) -> str:
    fault = finding.fault
    return f"- **{finding.code} {finding.name}** {_bounded(fault.subject)}: {marked(fault.summary[:300])}"


def _others(report: Report, *, room: int) -> Iterator[str]:
    """What is told and breaks nothing, folded by state."""
    titles = (
        (FindingState.UNVERIFIED, "could not be verified"),
        (FindingState.WARNED, "worth a look"),
        (FindingState.INHERITED, "inherited from the base"),
        (FindingState.WAIVED, "waived by the contract"),
    )
    for state, title in titles:
        found = [one for one in report.findings if one.state is state]
        if found:
            yield from _group(state, found, title, room)
    for notice in report.notices if room else ():
        yield f"- notice: {marked(notice[:500])}"
        yield ""


def _group(state: FindingState, found: Sequence[Finding], title: str, room: int) -> Iterator[str]:
    yield f"<details><summary>{symbol(state)} {len(found):,} {title}</summary>"
    yield ""
    for index, finding in enumerate(found):
        text = _brief(finding)
        room -= _size(text) + 1
        if room < 0:
            yield f"- … and {counted(len(found) - index, 'findings')} more"
            break
        yield text
    yield ""
    yield "</details>"
    yield ""


def _checks(report: Report) -> Iterator[str]:
    made = [one for one in report.results if one.state is not CheckState.SKIPPED]
    skipped = len(report.results) - len(made)
    yield f"<details><summary>{counted(len(made), 'checks')} made, {skipped:,} skipped</summary>"
    yield ""
    yield "| | check | looked at | |"
    yield "| --- | --- | ---: | --- |"
    yield from map(_row, made)
    yield ""
    yield "</details>"


def _row(result: CheckResult) -> str:
    told = [f"{result.count(state):,} {state.value}" for state in FindingState if result.count(state)]
    reason = marked(_first(result.reason)) if result.reason and not told else ", ".join(told)
    examined = marked(counted(result.examined, result.unit)) if result.unit else ""
    return f"| {symbol(result.state)} {result.state.value} | {result.code} {result.name} | {examined} | {reason} |"

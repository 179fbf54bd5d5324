"""One finding as lines: what is wrong, what should be and is, who did it, the way out, and the proof."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from imgcheck.outcome import CheckResult, Fault, Finding, FindingState, Location
from imgcheck.report.line import INDENT, Line, Span, line, role_of, row, span, symbol
from imgcheck.report.untrusted import neutral_lines

EVIDENCE_LINES: Final = 12
DETAILS: Final = 5
FIELD_LENGTH: Final = 400
"""Characters of one value; a line of a minified file, say, is longer than anyone reads."""


def block(finding: Finding, *, full: bool) -> Iterator[Line]:
    """The whole of a finding; bounded unless `full`."""
    yield title(finding)
    yield line(span(finding.fault.summary), head=[Span(INDENT)])
    yield from _values(finding.fault, full=full)
    yield from _cause(finding.fault, full=full)
    yield from _field("fix", finding.fault.remedy, full=True)
    yield from _field("waived", finding.excuse, full=True)
    yield from _details(finding.fault.details, full=full)
    yield from quoted("evidence", finding.fault.evidence, limit=None if full else EVIDENCE_LINES)


def title(finding: Finding) -> Line:
    role = role_of(finding.state)
    state = () if finding.state is FindingState.BROKEN else (span(f" {finding.state.value}", role),)
    mark = (span(symbol(finding.state), role), *state)
    return line(*_name(finding), span(finding.fault.subject, "strong"), head=[*mark, Span(" ")])


def brief(finding: Finding) -> Line:
    """A finding in one line."""
    return line(*_name(finding), span(finding.fault.subject, "strong"), *_told(finding.fault), head=[Span(INDENT * 2)])


def trouble(result: CheckResult) -> Iterator[Line]:
    """Why a check could not run, or not wholly."""
    words = "could run only in part" if result.unit else "could not run"
    name = (span(result.code, "error"), span(f" {result.name}{INDENT}", "dim"))
    yield line(*name, span(words, "strong"), head=[span("!", "error"), Span(" ")])
    yield from quoted("why", result.reason, limit=None)


def _name(finding: Finding) -> tuple[Span, ...]:
    return (span(finding.code, role_of(finding.state)), span(f" {finding.name}{INDENT}", "dim"))


def _told(fault: Fault) -> tuple[Span, ...]:
    more = f" (and {len(fault.details):,} more)" if fault.details else ""
    return (span(f"{INDENT}{fault.summary}{more}"),)


def _values(fault: Fault, *, full: bool) -> Iterator[Line]:
    yield from _field("expected", fault.expected, fault.location, full=full)
    yield from _field("found", fault.actual, full=full)
    yield from _field("base", fault.baseline, full=full)
    if fault.location and not fault.expected:
        yield row("promised", span(fault.location))


def _cause(fault: Fault, *, full: bool) -> Iterator[Line]:
    cause = fault.cause
    yield from _field("cause", cause.step, cause.step_location, full=full)
    yield from _field("forced by", cause.requirement, cause.location, full=full)
    if cause.location and not cause.requirement:
        yield row("asked for", span(cause.location))
    yield from _field("known by" if cause.step else "cause", cause.how, full=full)


def _field(label: str, text: str, location: Location | None = None, *, full: bool) -> Iterator[Line]:
    if text:
        place = [span(f"{INDENT}{location}", "dim")] if location else []
        yield row(label, span(text if full else _bounded(text), "fix" if label == "fix" else "plain"), *place)


def _bounded(text: str) -> str:
    return text if len(text) <= FIELD_LENGTH else f"{text[:FIELD_LENGTH]}… ({len(text):,} characters, -v shows them)"


def _details(details: Sequence[str], *, full: bool) -> Iterator[Line]:
    shown = details if full else details[:DETAILS]
    for index, detail in enumerate(shown):
        yield row("" if index else "also", span(detail))
    if len(shown) < len(details):
        yield row("", span(f"and {len(details) - len(shown):,} more (-v lists them)", "dim"))


def quoted(label: str, text: str, *, limit: int | None) -> Iterable[Line]:
    """The last lines of a longer text, each behind a bar."""
    lines = neutral_lines(text) if text.strip() else ()
    shown = lines if limit is None else lines[-limit:]
    if len(shown) < len(lines):
        yield row(label, span(f"┆ {len(lines) - len(shown):,} earlier lines (-v shows them)", "dim"))
        label = ""
    for index, one in enumerate(shown):
        head = row("" if index else label).head
        bar = " " * len(head[0].text) + "│ "
        yield line(span(one), head=[*head, Span("│ ", "dim")], hang=bar)

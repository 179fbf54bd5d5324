"""One line for each check that was made, and one for all that were not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from imgcheck.outcome import CheckResult, CheckState, FindingState, Report
from imgcheck.report.line import INDENT, Line, Span, line, role_of, span, symbol
from imgcheck.report.untrusted import neutral_lines
from imgcheck.report.wording import counted, singular

_STATE_WIDTH: Final = max(len(state.value) for state in CheckState)


@dataclass(frozen=True, kw_only=True)
class _Widths:
    name: int
    number: int
    unit: int


def table(report: Report) -> Iterator[Line]:
    made = [result for result in report.results if result.state is not CheckState.SKIPPED]
    widths = _Widths(
        name=max((len(result.name) for result in made), default=0),
        number=max((len(f"{result.examined:,}") for result in made), default=0),
        unit=max((len(result.unit) for result in made), default=0),
    )
    for result in made:
        yield _made(result, widths)
        yield from _passed_over(result)
    yield from _skipped(report)


def _made(result: CheckResult, widths: _Widths) -> Line:
    name = span(f"{result.name:<{widths.name}}{INDENT}")
    counts = _counts(result)
    examined = _examined(result, widths, pad=bool(counts))
    return line(*counts, head=(*_state(result.state), span(f"{result.code} ", "dim"), name, *examined))


def _state(state: CheckState) -> tuple[Span, Span]:
    return (
        span(f"{symbol(state)} {state.value}", role_of(state)),
        Span(" " * (_STATE_WIDTH - len(state.value)) + INDENT),
    )


def _examined(result: CheckResult, widths: _Widths, *, pad: bool) -> tuple[Span, ...]:
    if not result.unit:
        return ()
    unit = singular(result.unit) if result.examined == 1 else result.unit
    text = f"{result.examined:>{widths.number},} {unit}"
    return (span(f"{text:<{widths.number + 1 + widths.unit}}{INDENT}" if pad else text),)


def _counts(result: CheckResult) -> tuple[Span, ...]:
    """What was found, the worst first, and why where nothing could be told."""
    told = [
        span(f"{result.count(state):,} {state.value}", role_of(state)) for state in FindingState if result.count(state)
    ]
    if result.reason and not told:
        told = [span(next(iter(neutral_lines(result.reason))), role_of(result.state))]
    commas = [one for each in told for one in (Span(", ", "dim"), each)]
    return tuple(commas[1:])


def _passed_over(result: CheckResult) -> Iterator[Line]:
    if result.passed_over:
        total = sum(number for _, number in result.passed_over)
        reasons = ", ".join(f"{reason} {number:,}" for reason, number in result.passed_over)
        head = Span(" " * (_STATE_WIDTH + len(f"✗ {INDENT}{result.code} ")))
        yield line(span(f"{total:,} passed over: {reasons}", "dim"), head=[head])


def _skipped(report: Report) -> Iterator[Line]:
    reasons: dict[str, list[str]] = {}
    for result in report.results:
        if result.state is CheckState.SKIPPED:
            reasons.setdefault(result.reason, []).append(result.name)
    if reasons:
        total = sum(map(len, reasons.values()))
        told = "; ".join(f"{reason}: {', '.join(names)}" for reason, names in reasons.items())
        yield line(span(f"{counted(total, 'checks')}; {told}", "dim"), head=_state(CheckState.SKIPPED))

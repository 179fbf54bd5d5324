"""The whole report as lines, in the order in which it is read: the checks, what is wrong, the rest, the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from imgcheck.outcome import CheckState, Finding, FindingState, Report, Source
from imgcheck.report.block import block, brief, title, trouble
from imgcheck.report.gpu_table import gpu_lines
from imgcheck.report.line import EMPTY, Line, Role, Span, line, role_of, row, span, symbol
from imgcheck.report.remarks import remarks
from imgcheck.report.table import table
from imgcheck.report.verdict import Verdict, sentence, verdict
from imgcheck.report.wording import duration, moment, short_digest

QUIET: Final = -1
NORMAL: Final = 0
VERBOSE: Final = 1

_BLOCKS_A_CHECK: Final = 10
_BRIEFS: Final = 10


def layout(report: Report, verbosity: int) -> Iterator[Line]:
    """All lines. Below NORMAL only what is broken and the verdict; from VERBOSE on, everything unbounded."""
    if verbosity <= QUIET:
        yield from (title(one) for one in _of(report, FindingState.BROKEN))
    else:
        full = verbosity >= VERBOSE
        yield from _header(report, full=full)
        yield EMPTY
        yield from table(report)
        yield EMPTY
        yield from _broken(report, full=full)
        yield from spaced([*_others(report, full=full)])
        yield from spaced([*gpu_lines(report.gpu)] if full else [])
        yield from spaced([*remarks(report.remarks)] if full else [])
        yield from spaced([*sources_and_notices(report.sources, report.notices, full=full)])
    yield _verdict(report)


def _header(report: Report, *, full: bool) -> Iterator[Line]:
    named = (
        ("image", report.image, report.digest),
        ("contract", report.contract, report.contract_digest),
        ("base", report.base, report.base_digest),
    )
    for label, name, digest in named:
        if name:
            yield row(label, span(name, "strong"), *_digest(digest, full=full), indent="")


def _digest(digest: str, *, full: bool) -> tuple[Span, ...]:
    return (span(f"  {digest if full else short_digest(digest)}", "dim"),) if digest else ()


def _of(report: Report, state: FindingState) -> list[Finding]:
    return [finding for finding in report.findings if finding.state is state]


def _broken(report: Report, *, full: bool) -> Iterator[Line]:
    for result in report.results:
        if result.state is not CheckState.UNVERIFIED and _needs_a_block(result.reason, result.state):
            yield from spaced([*trouble(result)])
    for _, group in groupby(_of(report, FindingState.BROKEN), key=lambda finding: finding.code):
        yield from _of_one_check([*group], full=full)


def _needs_a_block(reason: str, state: CheckState) -> bool:
    """Whether the table's line does not show the whole reason."""
    return bool(reason) and (state is CheckState.BROKEN or "\n" in reason)


def _of_one_check(findings: Sequence[Finding], *, full: bool) -> Iterator[Line]:
    """The first in full: a check that breaks in a thousand places must not bury the others."""
    limit = len(findings) if full else _BLOCKS_A_CHECK
    for finding in findings[:limit]:
        yield from spaced([*block(finding, full=full)])
    rest = findings[limit:]
    if rest:
        yield line(span(f"{len(rest):,} more {rest[0].code} {rest[0].name}", "broken"), head=[span("✗ ", "broken")])
        yield from spaced([*_listed(rest, full=full)])


def _listed(findings: Sequence[Finding], *, full: bool) -> Iterator[Line]:
    shown = findings if full else findings[:_BRIEFS]
    yield from (brief(finding) for finding in shown)
    if len(shown) < len(findings):
        yield line(span(f"and {len(findings) - len(shown):,} more (-v lists them)", "dim"), head=[Span("    ")])


def _others(report: Report, *, full: bool) -> Iterator[Line]:
    """What could not be told is listed always; what is excused, only when asked for."""
    yield from _group(report, FindingState.UNVERIFIED, "unverified", listed=True, full=full)
    yield from _group(report, FindingState.WARNED, "warned", listed=True, full=full)
    yield from _group(report, FindingState.INHERITED, "inherited from the base", listed=full, full=full)
    yield from _group(report, FindingState.WAIVED, "waived by the contract", listed=full, full=full)


def _group(report: Report, state: FindingState, words: str, *, listed: bool, full: bool) -> Iterator[Line]:
    findings = _of(report, state)
    if not findings:
        return
    role = role_of(state)
    hint = () if listed else (span(" (-v lists them)", "dim"),)
    yield line(span(f"{len(findings):,} {words}", role), *hint, head=[span(f"{symbol(state)} ", role)])
    if listed:
        yield from _listed(findings, full=full)


def sources_and_notices(sources: Iterable[Source], notices: Iterable[str], *, full: bool) -> Iterator[Line]:
    for source in sources:
        if source.reused or full:
            yield row("facts", span(f"{source.what} of {_image(source, full=full)} "), *_origin(source), indent="")
    for notice in notices:
        yield row("notice", span(notice, "warned"), indent="")


def _image(source: Source, *, full: bool) -> str:
    return source.image if full else short_digest(source.image) if source.image.startswith("sha256:") else source.image


def _origin(source: Source) -> tuple[Span, ...]:
    if source.reused:
        spent = f"collected {moment(source.collected_at)}, {duration(source.seconds)} not spent"
        return (span("reused", "strong"), span(f", {spent}", "dim"))
    return (span(f"collected in {duration(source.seconds)}", "dim"),)


def _verdict(report: Report) -> Line:
    roles: dict[Verdict, Role] = {
        Verdict.KEPT: "kept",
        Verdict.BROKEN: "broken",
        Verdict.ERROR: "error",
        Verdict.NOTHING_CHECKED: "error",
    }
    word, colon, rest = sentence(report).partition(":")
    return line(span(word + colon, roles[verdict(report)]), span(rest, "strong"))


def spaced(lines: Sequence[Line]) -> Iterator[Line]:
    """A paragraph: an empty line after it, and nothing where there is nothing."""
    if lines:
        yield from lines
        yield EMPTY

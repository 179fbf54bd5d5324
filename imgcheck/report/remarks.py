"""What is worth knowing and decides nothing: a quiet paragraph, by kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from imgcheck.outcome import Remark
from imgcheck.report.line import INDENT, Line, Span, line, span
from imgcheck.report.wording import counted


def remarks(found: Sequence[Remark]) -> Iterator[Line]:
    if not found:
        return
    yield line(span("worth knowing", "strong"))
    for kind, group in groupby(found, key=lambda remark: remark.kind):
        yield line(span(kind.value, "dim"), head=[Span(INDENT)])
        yield from map(_remark, group)


def _remark(remark: Remark) -> Line:
    more = f" (and {counted(remark.others, 'modules')} more)" if remark.others else ""
    return line(span(remark.subject), span(f"{INDENT}{remark.detail}{more}", "dim"), head=[Span(INDENT * 2)])

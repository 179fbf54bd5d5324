"""What an image has for GPUs, as a table: the whole answer of `imgcheck gpu`, and a part of a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from imgcheck.gpu_summary import GpuRow, GpuSummary
from imgcheck.report.line import INDENT, Line, Span, line, span
from imgcheck.report.untrusted import neutral
from imgcheck.report.wording import counted, short_digest

_NONE: Final = "-"
_WORDS: Final = {"no, made for one GPU": "no", "cannot be told": "?"}


def render_gpu(summary: GpuSummary) -> str:
    """A line a library, a column a capability; below it what the words mean."""
    title = f"{neutral(summary.image)}  {short_digest(summary.digest)}"
    body = ["", *_table(summary)] if summary.rows else []
    return "\n".join((title, *body, "", *map(neutral, _below(summary)))) + "\n"


def gpu_lines(summary: GpuSummary | None) -> Iterator[Line]:
    """The same as a part of a report; nothing where there is nothing."""
    if summary is None or not (summary.rows or summary.toolkits):
        return
    yield line(span("GPU code", "strong"))
    yield from (Line(head=(Span(INDENT + text),)) for text in _table(summary))
    yield from (line(span(text, "dim"), head=[Span(INDENT)]) for text in _below(summary))


def _table(summary: GpuSummary) -> Iterator[str]:
    if summary.rows:
        heading = ("library", "CUDA", "driver", "architectures", *map(neutral, summary.capabilities))
        yield from _aligned([heading, *([neutral(cell) for cell in _cells(one)] for one in summary.rows)])


def _cells(row: GpuRow) -> tuple[str, ...]:
    held = [one.removeprefix("sm_") for one in row.architectures]
    if row.ptx:
        held.append(f"(PTX {', '.join(row.ptx)})")
    return (
        f"{row.owner}: {row.file}" if row.file else row.owner,
        ", ".join(map(str, row.cuda)) or _NONE,
        f">= {row.driver}" if row.driver else _NONE,
        " ".join(held) or _NONE,
        *(_WORDS.get(one.value, one.value) for one in row.runs),
    )


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns as wide as their widest cell, save that one long cell does not push the next column out of sight."""
    widths = [max(len(row[column]) for row in rows if len(row[column]) <= 60) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _below(summary: GpuSummary) -> Iterator[str]:
    if summary.rows:
        fleet = f" with driver {summary.driver}" if summary.driver else ""
        yield f"yes: has machine code for it; by JIT: the driver compiles PTX{fleet}; in part: it chooses at run time;"
        yield "?: newer than imgcheck's tables, or the CUDA major alone does not tell"
    yield from (f"{owner} says it was compiled for {' '.join(names)}" for owner, names in summary.claims)
    yield from summary.toolkits
    yield from summary.notices
    libraries = sum(bool(one.file) for one in summary.rows)
    yield f"{counted(libraries, 'libraries')} with GPU code, {counted(len(summary.rows) - libraries, 'parts')} of CUDA"

"""The report on a terminal: the same lines, wrapped to its width and coloured. Colour never says what no word says."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from io import StringIO
from typing import Final, TextIO

from rich.console import Console  # noqa: TID251 - this is the module that draws reports
from rich.text import Text  # noqa: TID251 - as above

from imgcheck.outcome import Report
from imgcheck.report.layout import NORMAL, VERBOSE, layout
from imgcheck.report.line import Line, Role, Span
from imgcheck.report.text import render_text

_UNWRAPPED: Final = 100_000
_NARROW: Final = 30
"""A body that would be squeezed into less starts on a row of its own."""
_DEEPEST: Final = 20

_STYLES: Final[Mapping[Role, str]] = {
    "plain": "",
    "strong": "bold",
    "dim": "dim",
    "fix": "cyan",
    "kept": "green",
    "broken": "bold red",
    "unverified": "yellow",
    "skipped": "dim",
    "error": "bold magenta",
    "inherited": "dim",
    "waived": "dim",
    "warned": "yellow",
}


def render_for(report: Report, stream: TextIO, verbosity: int = NORMAL, *, color: bool | None = None) -> str:
    """The report as this stream takes it: bounded and wrapped for people, plain and complete for everything else.

    Args:
        report: what to tell.
        stream: where the text will be written.
        verbosity: QUIET, NORMAL or VERBOSE.
        color: what the user asked for; None leaves it to the stream and the environment.
    """
    color = wants_color(stream, os.environ) if color is None else color
    if stream.isatty():
        columns = shutil.get_terminal_size().columns
        return render_terminal(report, width=columns, color=color, verbosity=verbosity)
    if color or verbosity < NORMAL:
        complete = VERBOSE if verbosity >= NORMAL else verbosity
        return render_terminal(report, width=_UNWRAPPED, color=color, verbosity=complete)
    return render_text(report)


def paint_for(lines: Iterable[Line], stream: TextIO, *, color: bool | None = None) -> str:
    """Lines as this stream takes them: wrapped to a terminal's width, unwrapped for everything else."""
    width = shutil.get_terminal_size().columns if stream.isatty() else _UNWRAPPED
    return paint(lines, width=width, color=wants_color(stream, os.environ) if color is None else color)


def paint_markdown(text: str, stream: TextIO, *, color: bool | None = None) -> str:
    """Our own pages: laid out on a terminal, as they are for everything else."""
    if not stream.isatty():
        return text.rstrip("\n") + "\n"
    from rich.markdown import Markdown  # noqa: PLC0415, TID251 - slow to load; this is the module that draws

    color = wants_color(stream, os.environ) if color is None else color
    width = min(shutil.get_terminal_size().columns, 100)
    console = Console(file=StringIO(), width=width, force_terminal=color, no_color=not color, _environ={})
    with console.capture() as capture:
        console.print(Markdown(text, hyperlinks=False))
    return capture.get()


def wants_color(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """NO_COLOR forbids, FORCE_COLOR asks (no-color.org, force-color.org); otherwise terminals have colour."""
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR", "0") not in {"", "0"}:
        return True
    return stream.isatty() and environ.get("TERM") != "dumb"


def render_terminal(report: Report, *, width: int, color: bool, verbosity: int = NORMAL) -> str:
    """The report as text with colours; it ends with a line end."""
    return paint(layout(report, verbosity), width=width, color=color)


def paint(lines: Iterable[Line], *, width: int, color: bool) -> str:
    console = Console(
        file=StringIO(),
        width=width,
        force_terminal=color,
        no_color=not color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    with console.capture() as capture:
        for line in lines:
            for row in _rows(line, width, console):
                console.print(row, soft_wrap=True)
    return "\n".join(row.rstrip() for row in capture.get().split("\n"))


def _rows(line: Line, width: int, console: Console) -> Iterator[Text]:
    """The line's rows on a terminal of this width."""
    head, body, hang = _text(line.head), _text(line.body), Text.assemble((line.hang, _STYLES["dim"]))
    room = width - head.cell_len
    if room < min(body.cell_len, _NARROW, width // 2) or room < 0:
        yield from head.wrap(console, width, overflow="fold")
        if not body:
            return
        hang = Text(" " * min(head.cell_len, _DEEPEST, width // 4))
        head, room = hang, width - hang.cell_len
    for index, part in enumerate(body.wrap(console, max(room, 1), overflow="fold") or [Text()]):
        yield (hang if index else head) + part


def _text(spans: Iterable[Span]) -> Text:
    return Text.assemble(*((span.text, _STYLES[span.role]) for span in spans))

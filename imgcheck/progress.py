"""What a run is doing, told on stderr while it does it. Nothing here is ever written to stdout.

Progress is told from one thread; text that comes from an image or a build is neutralised.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Final, Protocol, TextIO

from rich import progress as bars  # noqa: TID251 - this is the module that draws progress
from rich.console import Console  # noqa: TID251 - as above
from rich.text import Text  # noqa: TID251 - as above

from imgcheck.report.untrusted import neutral
from imgcheck.report.wording import duration

SECONDS_BETWEEN_LINES: Final = 10.0
_BAR_WIDTH: Final = 24

Clock = Callable[[], float]


class Progress(Protocol):
    """The verbs that the pipeline needs."""

    def step(self, title: str) -> AbstractContextManager[None]:
        """Says that something begins, and how long it took when it ends."""

    def advance(self, done: int, total: int | None = None, note: str = "") -> None:
        """Says how far the innermost step is; without a total only that it goes on."""

    def line(self, text: str) -> None:
        """Shows a line of someone else's live output, such as a build's."""

    def note(self, text: str) -> None:
        """Says something once."""


def progress_for(stream: TextIO, *, quiet: bool = False, color: bool = True, clock: Clock = time.monotonic) -> Progress:
    """Bars where somebody watches, lines where a log is kept, nothing where nothing was asked for."""
    if quiet:
        return QuietProgress()
    if stream.isatty() and os.environ.get("TERM") != "dumb":
        return LiveProgress(stream, color=color, clock=clock)
    return PlainProgress(stream, clock=clock)


class QuietProgress:
    """Says nothing."""

    def step(self, title: str) -> AbstractContextManager[None]:  # noqa: ARG002 - the protocol's name
        return nullcontext()

    def advance(self, done: int, total: int | None = None, note: str = "") -> None:
        pass

    def line(self, text: str) -> None:
        pass

    def note(self, text: str) -> None:
        pass


@dataclass
class _Step:
    """How far a step is."""

    title: str
    started: float
    told: float
    done: int = 0
    total: int | None = None
    bar: bars.TaskID | None = None

    @property
    def count(self) -> str:
        """As in "1200/5312"; empty where nothing was counted."""
        if self.total is not None:
            return f"{self.done}/{self.total}"
        return str(self.done) if self.done else ""


class PlainProgress:
    """A line when a step starts and when it ends, and one each ten seconds in between."""

    def __init__(self, stream: TextIO, *, clock: Clock = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._steps: list[_Step] = []

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        step = _Step(title=neutral(title), started=self._clock(), told=self._clock())
        self._steps.append(step)
        self._write(f"{step.title} ...")
        ended = "stopped after"
        try:
            yield
            ended = "done in"
        finally:
            self._steps.remove(step)
            count = f" {step.count}" if step.count else ""
            self._write(f"{step.title}{count}: {ended} {duration(self._clock() - step.started)}")

    def advance(self, done: int, total: int | None = None, note: str = "") -> None:
        if not self._steps:
            return
        step = self._steps[-1]
        step.done, step.total = done, total
        if self._clock() - step.told >= SECONDS_BETWEEN_LINES:
            step.told = self._clock()
            rate = _rate(done / (step.told - step.started)) if done and total else ""
            self._write("  ".join(filter(None, (f"{step.title} {step.count}".rstrip(), rate, neutral(note)))))

    def line(self, text: str) -> None:
        self._write(f"  {neutral(text)}")

    def note(self, text: str) -> None:
        self._write(neutral(text))

    def _write(self, text: str) -> None:
        self._stream.write(f"{text}\n")
        self._stream.flush()


class LiveProgress:
    """Bars with counts, rate and time; a finished step leaves one line, and other lines pass above the bars."""

    def __init__(self, stream: TextIO, *, color: bool = True, clock: Clock = time.monotonic) -> None:
        self._console = Console(
            file=stream, no_color=not color, force_terminal=True, highlight=False, markup=False, emoji=False
        )
        self._clock = clock
        self._steps: list[_Step] = []
        self._bars: bars.Progress | None = None

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        shown = self._bars or self._start()
        step = _Step(title=neutral(title), started=self._clock(), told=self._clock())
        step.bar = shown.add_task("", total=None, title=step.title, note="")
        self._steps.append(step)
        mark = Text("✗ ", style="red")
        try:
            yield
            mark = Text("✓ ", style="green")
        finally:
            self._steps.remove(step)
            shown.remove_task(step.bar)
            self._ended(step, mark)

    def advance(self, done: int, total: int | None = None, note: str = "") -> None:
        if not self._steps or self._bars is None:
            return
        step = self._steps[-1]
        step.done, step.total = done, total
        if step.bar is not None:
            self._bars.update(step.bar, completed=done, total=total, note=neutral(note))

    def line(self, text: str) -> None:
        self._print(Text(f"  {neutral(text)}", style="dim"))

    def note(self, text: str) -> None:
        self._print(Text(neutral(text)))

    def _start(self) -> bars.Progress:
        # Redirecting would send to stderr what others print to stdout.
        self._bars = bars.Progress(
            *_columns(), console=self._console, transient=True, redirect_stdout=False, redirect_stderr=False
        )
        self._bars.start()
        return self._bars

    def _ended(self, step: _Step, mark: Text) -> None:
        """The last step takes the bars along, so that nothing of them is left when the report is printed."""
        if not self._steps and self._bars is not None:
            self._bars.stop()
            self._bars = None
        count = f"  {step.done:,}" if step.done else ""
        told = f"{count}  {duration(self._clock() - step.started)}"
        self._print(Text.assemble(mark, step.title, (told, "dim")))

    def _print(self, text: Text) -> None:
        self._console.print(text, soft_wrap=True)


def _columns() -> tuple[bars.ProgressColumn, ...]:
    return (
        bars.SpinnerColumn(style="cyan"),
        bars.TextColumn("{task.fields[title]}", markup=False),
        bars.BarColumn(_BAR_WIDTH, complete_style="cyan", finished_style="green", pulse_style="cyan"),
        _Told(),
    )


class _Told(bars.ProgressColumn):
    """As in "1,200/5,312  84/s  0:14  torch.nn"; what is not known is left out."""

    def render(self, task: bars.Task) -> Text:
        return Text("  ".join(filter(None, _told(task))), style="dim", no_wrap=True, overflow="ellipsis")


def _told(task: bars.Task) -> Iterator[str]:
    if task.total is not None:
        yield f"{task.completed:,.0f}/{task.total:,.0f}"
    elif task.completed:
        yield f"{task.completed:,.0f}"
    if task.speed:
        yield _rate(task.speed)
    minutes, seconds = divmod(int(task.elapsed or 0), 60)
    yield f"{minutes}:{seconds:02}"
    yield task.fields["note"]


def _rate(speed: float) -> str:
    return f"{speed:,.0f}/s" if speed >= 1 else f"{60 * speed:,.0f}/min"

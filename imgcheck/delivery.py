"""Hands a report to where it was asked for: standard output and files. What cannot be written is told, not hidden."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from imgcheck.errors import HostError
from imgcheck.explaining import Explained
from imgcheck.import_summary import ImportSummary
from imgcheck.outcome import Report
from imgcheck.progress import Progress, progress_for
from imgcheck.read_report import keep_last
from imgcheck.report import RENDERERS
from imgcheck.report.block import block
from imgcheck.report.files import Destination, check_destination, parse_destination, write_report
from imgcheck.report.imports import layout_imports, render_imports_json
from imgcheck.report.layout import NORMAL
from imgcheck.report.line import EMPTY, row, span
from imgcheck.report.probe_story import layout_trial, render_trial_json
from imgcheck.report.terminal import paint_for, paint_markdown, render_for, wants_color
from imgcheck.tracing import trace_to
from imgcheck.trying import Trial


@dataclass(frozen=True, kw_only=True)
class Output:
    """Where reports go, and how much is said."""

    main: Destination
    further: tuple[Destination, ...] = ()
    verbosity: int = NORMAL
    color: bool | None = None

    @classmethod
    def of(
        cls, format_name: str, file: Path | None, reports: list[str] | None, *, verbose: int, quiet: bool, color: str
    ) -> Output:
        """Settles and checks every destination before anything runs.

        Raises:
            UsageError: an unknown format, or a file that cannot be written.
        """
        main = Destination(format=parse_destination(format_name).format, path=file)
        further = tuple(parse_destination(one) for one in reports or ())
        for destination in (main, *further):
            check_destination(destination)
        if verbose > 1 and not quiet:
            trace_to(sys.stderr)
        return cls(
            main=main,
            further=further,
            verbosity=NORMAL + verbose if not quiet else NORMAL - 1,
            color={"always": True, "never": False}.get(color),
        )

    @property
    def progress(self) -> Progress:
        color = wants_color(sys.stderr, os.environ) if self.color is None else self.color
        return progress_for(sys.stderr, quiet=self.verbosity < NORMAL, color=color)

    def deliver(self, report: Report, cache_folder: Path | None) -> None:
        """Writes them all; the terminal keeps its own even where the main report goes to a file."""
        keep_last(report, cache_folder)
        # files first: they are whole even where nobody reads standard output
        everywhere = sorted((self.main, *self.further), key=lambda one: one.path is None)
        for destination in everywhere:
            if destination.path is not None:
                self._write(RENDERERS[destination.format](report), destination.path)
            elif destination.format == "text":
                _say(render_for(report, sys.stdout, self.verbosity, color=self.color))
            else:
                _say(RENDERERS[destination.format](report))
        if not self._shown():
            sys.stderr.write(render_for(report, sys.stderr, self.verbosity, color=self.color))

    def _shown(self) -> bool:
        """Whether people saw it: as text on standard output, or in another format on the same terminal."""
        formats = [one.format for one in (self.main, *self.further) if one.path is None]
        return "text" in formats or bool(formats and sys.stdout.isatty())

    def _write(self, text: str, path: Path) -> None:
        """A report file that fails is an auxiliary step: shown, and the verdict stays."""
        try:
            write_report(text, path)
        except OSError as error:
            sys.stderr.write(f"imgcheck: the report could not be written to {path}: {error.strerror}\n")


def _say(text: str) -> None:
    """On standard output, all of it. A reader who has had enough and went is no fault; what nobody got is no verdict.

    Raises:
        HostError: it cannot be written there.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # it would be tried again as Python ends
        raise HostError(
            f"the report could not be written to standard output: {error.strerror}",
            remedy="make room where it goes, or name a file with --output",
        ) from None


def deliver_explained(explained: Explained, *, color: str) -> None:
    """What was found first, then the page."""
    wanted = {"always": True, "never": False}.get(color)
    if explained.finding:
        lines = [row("image", span(explained.image, "strong"), indent=""), *block(explained.finding, full=True), EMPTY]
        _say(paint_for(lines, sys.stdout, color=wanted))
    _say(paint_markdown(explained.page, sys.stdout, color=wanted))


def deliver_imports(summary: ImportSummary, *, as_json: bool, full: bool) -> None:
    """What a pipe or a file gets is complete, as reports are."""
    if as_json:
        _say(render_imports_json(summary))
    else:
        lines = layout_imports(summary, full=full or not sys.stdout.isatty())
        _say(paint_for(lines, sys.stdout))


def deliver_trial(trial: Trial, *, as_json: bool) -> None:
    _say(render_trial_json(trial) if as_json else paint_for(layout_trial(trial), sys.stdout))

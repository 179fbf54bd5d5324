"""Hands a report to where it was asked for: standard output and files. What cannot be written is told, not hidden."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from imgcheck.import_summary import ImportSummary
from imgcheck.outcome import Report
from imgcheck.progress import Progress, progress_for
from imgcheck.report import RENDERERS
from imgcheck.report.files import Destination, check_destination, parse_destination, write_report
from imgcheck.report.imports import layout_imports, render_imports_json
from imgcheck.report.layout import NORMAL
from imgcheck.report.terminal import paint_for, render_for, wants_color


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

    def deliver(self, report: Report) -> None:
        """Writes them all; the terminal keeps its own even where the main report goes to a file."""
        for destination in (self.main, *self.further):
            if destination.path is not None:
                self._write(RENDERERS[destination.format](report), destination.path)
            elif destination.format == "text":
                sys.stdout.write(render_for(report, sys.stdout, self.verbosity, color=self.color))
            else:
                sys.stdout.write(RENDERERS[destination.format](report))
        if not any(one.path is None for one in (self.main, *self.further)):
            sys.stderr.write(render_for(report, sys.stderr, self.verbosity, color=self.color))

    def _write(self, text: str, path: Path) -> None:
        """A report file that fails is an auxiliary step: shown, and the verdict stays."""
        try:
            write_report(text, path)
        except OSError as error:
            sys.stderr.write(f"imgcheck: the report could not be written to {path}: {error.strerror}\n")


def deliver_imports(summary: ImportSummary, *, as_json: bool, full: bool) -> None:
    """What a pipe or a file gets is complete, as reports are."""
    if as_json:
        sys.stdout.write(render_imports_json(summary))
    else:
        lines = layout_imports(summary, full=full or not sys.stdout.isatty())
        sys.stdout.write(paint_for(lines, sys.stdout))

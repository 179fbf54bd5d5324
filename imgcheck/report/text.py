"""Plain and complete: for logs, files and pipes. Nothing is left out, wrapped or coloured."""

from __future__ import annotations

from imgcheck.outcome import Report
from imgcheck.report.layout import VERBOSE, layout


def render_text(report: Report) -> str:
    return "\n".join(line.text for line in layout(report, VERBOSE)) + "\n"

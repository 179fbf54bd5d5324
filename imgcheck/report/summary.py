"""A step summary of GitHub Actions: the same Markdown, with a step's room of 1 MiB."""

from __future__ import annotations

from typing import Final

from imgcheck.outcome import Report
from imgcheck.report.markdown import document

STEP: Final = 1 << 20


def render_summary(report: Report) -> str:
    return document(report, STEP - 1024)

"""Renderers: a name, and a pure function from report to text. Nothing here counts, decides or prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from imgcheck.outcome import Report
from imgcheck.report.github import render_github
from imgcheck.report.gitlab import render_gitlab
from imgcheck.report.html import render_html
from imgcheck.report.json import render_json
from imgcheck.report.junit import render_junit
from imgcheck.report.markdown import render_markdown
from imgcheck.report.sarif import render_sarif
from imgcheck.report.summary import render_summary
from imgcheck.report.tap import render_tap
from imgcheck.report.text import render_text

__all__ = ["RENDERERS", "Renderer"]

Renderer = Callable[[Report], str]

RENDERERS: Final[Mapping[str, Renderer]] = MappingProxyType(
    {
        "text": render_text,
        "json": render_json,
        "junit": render_junit,
        "sarif": render_sarif,
        "github": render_github,
        "summary": render_summary,
        "gitlab": render_gitlab,
        "tap": render_tap,
        "markdown": render_markdown,
        "html": render_html,
    }
)

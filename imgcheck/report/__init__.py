"""Renderers: a name, and a pure function from report to text. Nothing here counts, decides or prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from imgcheck.outcome import Report
from imgcheck.report.json import render_json
from imgcheck.report.text import render_text

__all__ = ["RENDERERS", "Renderer"]

Renderer = Callable[[Report], str]

RENDERERS: Final[Mapping[str, Renderer]] = MappingProxyType({"text": render_text, "json": render_json})

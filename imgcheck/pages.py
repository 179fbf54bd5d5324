"""The page of each check, as it lies in docs/checks of a checkout, and in the package once that is installed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent
_FOLDERS: Final = (_HERE / "pages_of_checks", _HERE.parent / "docs" / "checks")
_HEADING: Final = re.compile(r"^## (.+)$", re.MULTILINE)


@cache
def page(name: str) -> str:
    """The page of a check by its name, as Markdown; empty where it has none."""
    for folder in _FOLDERS:
        path = folder / f"{name}.md"
        if path.is_file():
            return path.read_text("utf-8")
    return ""


def sections(name: str) -> Mapping[str, str]:
    """The page's sections by heading; what stands above the first is under an empty one."""
    parts = _HEADING.split(page(name))
    return {"": parts[0].strip(), **{key: text.strip() for key, text in zip(parts[1::2], parts[2::2], strict=True)}}

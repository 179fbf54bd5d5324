"""Patterns that a contract names modules and scripts by."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Iterable


def matches(module: str, patterns: Iterable[str]) -> bool:
    """Whether a pattern names the module or a package above it."""
    return any(fnmatchcase(module, one) or module.startswith(one.rstrip(".*") + ".") for one in patterns)

"""Scripts of a distribution that has no module, and what they import that is not there.

Floor: Python 3.8.
"""

from __future__ import annotations

import os
import re
from typing import Any, Dict, Iterable

from imgcheck.collector.import_statements import always_imported, imported_names
from imgcheck.collector.locations import Locations
from imgcheck.collector.sources import read_source

_PYTHON = re.compile(rb"#![^\n]*(?:python|pypy)")
_FOLDERS = ("bin", "sbin")

Facts = Dict[str, Any]


def python_scripts(paths: Iterable[str], locations: Locations, stdlib: Iterable[str]) -> Facts:
    """How many are Python's, and top-level names of modules that these always import and sys.path does not lead to."""
    scripts = 0
    unfound: set[str] = set()
    known = frozenset(stdlib)
    for path in paths:
        if os.path.basename(os.path.dirname(path)) not in _FOLDERS:  # libraries and data may be large
            continue
        source = read_source(path) or b""
        if not path.endswith(".py") and not _PYTHON.match(source):
            continue
        scripts += 1
        beside = {name[:-3] for name in _names(os.path.dirname(path)) if name.endswith(".py")}
        wanted = set(imported_names(source)) - known - beside
        unfound.update(name for name, _ in always_imported(source, wanted) if not locations.find(name))
    return {"scripts": scripts, "unfound": sorted(unfound)}


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []

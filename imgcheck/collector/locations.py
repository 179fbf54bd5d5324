"""Where imported modules came from, told where that is not plainly the file that was listed.

What `sys.path` leads to is asked of the import system's own finders, without importing anything: a module may set its
`__file__`, or put another object in its place.
Floor: Python 3.8.
"""

from __future__ import annotations

import os
from importlib import machinery
from typing import Any, Dict, Iterable, Sequence

from imgcheck.collector.access import may_read
from imgcheck.collector.sweep_sources import ENDINGS

Facts = Dict[str, Any]

_LOADERS: Sequence[tuple[Any, list[str]]] = (
    (machinery.ExtensionFileLoader, machinery.EXTENSION_SUFFIXES),
    (machinery.SourceFileLoader, machinery.SOURCE_SUFFIXES),
    (machinery.SourcelessFileLoader, machinery.BYTECODE_SUFFIXES),
)


def make_finder(folder: str) -> Any:
    """What looks for modules in a folder; a tree of files has one of its own in this place (still.py)."""
    return machinery.FileFinder(folder, *_LOADERS)


class Locations:
    """Tells of one interpreter's modules."""

    def __init__(self, sys_path: Iterable[str]) -> None:
        self._finders: dict[str, Any] = {}
        self._packages: dict[str, list[str]] = {"": [os.path.abspath(entry) for entry in sys_path]}

    def of(self, verdict: Facts) -> Facts | None:
        """What is known beyond `__file__` of a module that was imported; None where it is the listed file."""
        path, file = verdict["path"], verdict["file"]
        if verdict["status"] != "ok" or not path or not path.endswith(ENDINGS):
            return None
        readable = may_read(path)
        if readable and file == path:
            return None
        found = self._find(verdict["module"])[0]
        return {
            "readable": readable,
            "same": _is_same(file, path),
            "found": found,
            "found_same": _is_same(found, path),
        }

    def find(self, module: str) -> str | None:
        """The file that a name leads to, or a namespace's first folder; nothing is imported."""
        return self._find(module)[0]

    def _find(self, module: str) -> tuple[str | None, list[str]]:
        """The file, or a namespace's first folder, and where the modules below are looked for."""
        package, _, leaf = module.rpartition(".")
        portions: list[str] = []
        for folder in self._folders(package):
            spec = self._finder(folder).find_spec(leaf)
            if spec is None:
                continue
            below = list(spec.submodule_search_locations or ())
            if spec.loader is not None:
                return spec.origin, below
            portions.extend(below)
        return (portions[0] if portions else None), portions

    def _folders(self, package: str) -> list[str]:
        known = self._packages.get(package)
        if known is None:
            known = self._packages[package] = self._find(package)[1]
        return known

    def _finder(self, folder: str) -> Any:
        known = self._finders.get(folder)
        if known is None:
            known = self._finders[folder] = make_finder(folder)
        return known


def _is_same(one: str | None, other: str) -> bool:
    """One file, whatever links lead to it."""
    if one is None or one == other:
        return one == other
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return os.path.realpath(one) == os.path.realpath(other)

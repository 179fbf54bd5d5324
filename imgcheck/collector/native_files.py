"""Which native files an image has: those of its distributions, by RECORD or by the disk, and those of named folders.

Only names that a native file may have are opened: shared objects, and programs (executable, without an ending).
Floor: Python 3.8.
"""

from __future__ import annotations

import os
import re
from typing import Any, Dict, Iterable, Iterator

from imgcheck.collector.module_names import guesses
from imgcheck.collector.sweep_sources import Distribution

_SHARED = re.compile(r".*\.so(\.[\w.]+)?")
_MOST = 200_000

Owned = Dict[str, Any]


def native_files(distributions: Iterable[Distribution], folders: Iterable[str]) -> list[Owned]:
    """Each as {"path", "distribution", "also"}; the first owner wins, further ones are `also`; a folder's has none."""
    found: dict[str, Owned] = {}
    for distribution in distributions:
        for path in _of_distribution(distribution):
            known = found.setdefault(path, {"path": path, "distribution": distribution["name"], "also": []})
            if distribution["name"] not in (known["distribution"], *known["also"]):
                known["also"].append(distribution["name"])
    for folder in folders:
        for path in _walk(folder):
            found.setdefault(path, {"path": path, "distribution": "", "also": []})
    return list(found.values())[:_MOST]


def owners_of_files(paths: Iterable[str], distributions: Iterable[Distribution]) -> dict[str, str]:
    """Path -> distribution, through links; without those that no distribution has."""
    wanted = {path: os.path.realpath(path) for path in paths}
    names = {os.path.basename(path) for pair in wanted.items() for path in pair}
    owners: dict[str, str] = {}
    for one in native_files(distributions, ()) if wanted else ():
        if os.path.basename(one["path"]) in names:
            owners.setdefault(os.path.realpath(one["path"]), one["distribution"])
    return {path: owners[real] for path, real in wanted.items() if real in owners}


def _of_distribution(distribution: Distribution) -> Iterator[str]:
    location, files = distribution["location"], distribution.get("files")
    if files is not None:
        for relative in files:
            if _may_be_native(relative.rpartition("/")[2]):
                path = os.path.normpath(os.path.join(location, relative))
                if _is_native_name(path):
                    yield path
        return
    for name in dict.fromkeys(distribution.get("top_level") or guesses(distribution["name"])):
        yield from _walk(os.path.join(location, name))


def _walk(folder: str) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        folders.sort()
        for file in sorted(files):
            path = os.path.join(place, file)
            if _may_be_native(file) and _is_native_name(path):
                yield path


def _may_be_native(name: str) -> bool:
    return "." not in name or ".so" in name


def _is_native_name(path: str) -> bool:
    """A shared object by its name, or an executable file without an ending."""
    name = os.path.basename(path)
    if _SHARED.fullmatch(name):
        return os.path.isfile(path)
    return "." not in name and os.path.isfile(path) and os.access(path, os.X_OK)

"""What this user may not read: files and folders of distributions, folders of sys.path.

Python passes over a folder that it cannot look into, or takes it for an empty namespace package: nothing raises.
Floor: Python 3.8.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Iterable, Iterator

from imgcheck.collector.module_names import guesses

_SHOWN = 5
_EFFECTIVE = os.access in os.supports_effective_ids
_METADATA = ("METADATA", "PKG-INFO", "RECORD", "top_level.txt", "entry_points.txt")

Distribution = Dict[str, Any]  # as distributions.find_distributions tells it


def may_read(path: str) -> bool:
    """Whether a file can be read, or a folder be listed and gone through."""
    mode = os.R_OK | os.X_OK if os.path.isdir(path) else os.R_OK
    return _may(path, mode)


def closed_entries(sys_path: Iterable[str]) -> list[str]:
    """Folders and archives of sys.path that are there and cannot be read."""
    return [entry for entry in sys_path if not may_read(entry) and not is_missing(entry)]


def unreadable(distribution: Distribution) -> dict[str, Any]:
    """How many of a distribution's files cannot be read, and the outermost places where reading ends."""
    folders = _Folders(distribution["location"])
    places: dict[str, None] = {}
    count = 0
    for path in _paths(distribution):
        place = folders.closed_at(path)
        if place:
            count += 1
            if len(places) < _SHOWN:
                places[place] = None
    return {"unreadable": list(places), "unreadable_files": count}


def _paths(distribution: Distribution) -> Iterator[str]:
    metadata = distribution["metadata_path"]
    yield metadata
    if not os.path.isfile(metadata):  # an .egg-info may be a single file
        yield from (os.path.join(metadata, name) for name in _METADATA)
    location = distribution["location"]
    if distribution.get("files") is not None:
        for relative in distribution["files"]:
            if "__pycache__" not in relative:  # without it Python compiles again
                yield os.path.normpath(os.path.join(location, relative))
        return
    for name in dict.fromkeys(distribution.get("top_level") or guesses(distribution["name"])):
        yield os.path.join(location, name)
        yield os.path.join(location, name + ".py")


class _Folders:
    """Folders looked at once. One of modules must be listed, any other only be gone through."""

    def __init__(self, location: str) -> None:
        self._inside = location.rstrip("/") + "/"
        self._closed: dict[str, str] = {}

    def closed_at(self, path: str) -> str:
        """Where the way to a path ends that is there, as far as can be seen; empty where it can be read."""
        folder = os.path.dirname(path)
        if folder not in self._closed:
            self._closed[folder] = self._look(folder)
        return self._closed[folder] or ("" if may_read(path) or is_missing(path) else path)

    def _look(self, folder: str) -> str:
        if _may(folder, os.X_OK):
            return folder if folder.startswith(self._inside) and not _may(folder, os.R_OK) else ""
        return "" if is_missing(folder) else _outermost(folder)


def _outermost(folder: str) -> str:
    """The first folder on the way that is closed: what a chmod has to begin with."""
    above = os.path.dirname(folder)
    while above != folder and not _may(above, os.X_OK):
        folder, above = above, os.path.dirname(above)
    return folder


def is_missing(path: str) -> bool:
    """Not there; what lies behind a closed folder may be there."""
    try:
        os.stat(path)
    except PermissionError:
        return False
    except (OSError, ValueError):
        return True
    return False


def _may(path: str, mode: int) -> bool:
    try:
        return os.access(path, mode, effective_ids=_EFFECTIVE)
    except (OSError, ValueError):
        return False

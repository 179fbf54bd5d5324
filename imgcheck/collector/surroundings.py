"""What surrounds the distributions: variables and paths they name, the locale, scripts, entry points, front folders.

Floor: Python 3.8.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
from typing import Any, Callable, Dict, Iterable

from imgcheck.collector.entry_points import entry_points
from imgcheck.collector.environment import shown_variables
from imgcheck.collector.locations import Locations
from imgcheck.collector.scripts import command_facts, find_on_path, scripts_on_path
from imgcheck.collector.shadows import front_folders, shadows

_ZONES = ("/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo")
_SEPARATORS = re.compile(r"[:;,\s]+")
_LARGEST_TEXT = 60_000
_LOCALE = "import locale; locale.setlocale(locale.LC_ALL, '')"

by_files: Callable[[], str] | None = None
"""Tells of the locale, where nothing can be started."""

Facts = Dict[str, Any]


def surroundings(interpreter: Facts, distributions: list[Facts], request: Facts) -> Facts:
    """All of it. `request` holds "command", and the "paths", "texts" and "commands" that the host asks for."""
    suffixes = interpreter["extension_suffixes"]
    fronts = front_folders(request["command"], interpreter["path"])
    command = command_facts(request["command"])
    return {
        "environment": shown_variables(os.environ),
        "paths": [path_facts(path) for path in dict.fromkeys((*_named_paths(), *request["paths"]))],
        "texts": [{"path": path, **_text(path)} for path in request["texts"]],
        "commands": [(name, _program(name)) for name in request["commands"]],
        "locale": _locale_error(request["python"]),
        "zone": _zone(os.environ.get("TZ", "")),
        "fronts": fronts,
        "shadows": list(shadows(fronts, interpreter["path"], suffixes)),
        "scripts": list(scripts_on_path()),
        "command": command,
        "entry_points": list(entry_points(distributions, Locations(interpreter["path"]))),
    }


def _program(name: str) -> str:
    """By PATH, or by its own path."""
    if "/" not in name:
        return find_on_path(name)
    return name if os.path.isfile(name) and os.access(name, os.X_OK) else ""


def _named_paths() -> Iterable[str]:
    """Absolute paths that variables name, alone or in a list."""
    for value in os.environ.values():
        for part in (value, *_SEPARATORS.split(value)):
            if part.startswith("/") and len(part) < 4096:
                yield part


def path_facts(path: str) -> Facts:
    """What is at a path, and what this user may do with it."""
    facts: Facts = {"path": path, "kind": "missing", "mode": 0, "uid": -1, "gid": -1, "size": 0, "writable": False}
    facts["nearest"] = _nearest(path)
    facts["nearest_writable"] = os.access(facts["nearest"], os.W_OK)
    try:
        seen = os.stat(path)
    except PermissionError:
        return dict(facts, kind="closed")
    except (OSError, ValueError):
        return dict(facts, kind="dangling" if os.path.islink(path) else "missing")
    kind = "folder" if stat.S_ISDIR(seen.st_mode) else "file" if stat.S_ISREG(seen.st_mode) else "other"
    return dict(
        facts,
        kind=kind,
        mode=stat.S_IMODE(seen.st_mode),
        uid=seen.st_uid,
        gid=seen.st_gid,
        size=seen.st_size,
        writable=os.access(path, os.W_OK),
        entries=_entries(path) if kind == "folder" else -1,
    )


def _entries(path: str) -> int:
    try:
        return len(os.listdir(path))
    except OSError:
        return -1


def _nearest(path: str) -> str:
    folder = path
    while not os.path.isdir(folder) and folder not in ("", "/"):
        folder = os.path.dirname(folder)
    return folder or "/"


def _text(path: str) -> Facts:
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST_TEXT + 1)
    except (OSError, ValueError):
        return {"text": None, "whole": False}
    return {"text": data[:_LARGEST_TEXT].decode("utf-8", "backslashreplace"), "whole": len(data) <= _LARGEST_TEXT}


def _locale_error(python: str) -> str:
    """Why the locale that variables ask for cannot be set; empty where it can."""
    if by_files:
        return by_files()
    done = subprocess.run(
        [python, "-I", "-S", "-c", _LOCALE],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    lines = done.stderr.decode("utf-8", "replace").strip().split("\n")
    return lines[-1][:500] if done.returncode else ""


def _zone(name: str) -> str:
    """The file of a time zone; empty where there is none."""
    plain = name.lstrip(":")
    folders = _ZONES if plain and not plain.startswith("/") else ("/",)
    files = (os.path.join(folder, plain) for folder in folders if plain)
    return next((file for file in files if os.path.isfile(file)), "")

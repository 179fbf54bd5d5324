"""What hides a module: names in folders that a program's own place, its working folder or PYTHONPATH put first.

Sources: sys.path's first entry (docs.python.org, "The initialization of the sys.path module search path"), the order in
which finders are asked (importlib: built-in, frozen, then the path), PEP 420 for namespace packages.
Floor: Python 3.8.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import FrozenImporter
from typing import Any, Dict, Iterable, Iterator, Sequence

_MOST = 2000
_COMPARED = 1 << 20

Facts = Dict[str, Any]


def front_folders(command: Sequence[str], sys_path: Iterable[str]) -> list[tuple[str, str]]:
    """(folder, why) of what comes before the standard library, in the order of sys.path."""
    found: dict[str, str] = {}
    if not os.environ.get("PYTHONSAFEPATH"):
        script = next((word for word in command if word.endswith(".py")), None)
        if script:
            found.setdefault(os.path.dirname(os.path.join(_here(), script)), "entry script")
        found.setdefault(_here(), "working folder")
    named = [os.path.abspath(entry) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    for entry in sys_path:
        if os.path.abspath(entry) in named:
            found.setdefault(entry, "PYTHONPATH")
    return [(folder, why) for folder, why in found.items() if os.path.isdir(folder)]


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        return "/"


def shadows(fronts: Iterable[tuple[str, str]], sys_path: Sequence[str], suffixes: Sequence[str]) -> Iterator[Facts]:
    """Each as {"name", "path", "why", "hidden", "namespace", "same"}."""
    folders = list(fronts)
    known = {os.path.realpath(folder) for folder, _ in folders}
    later = [entry for entry in sys_path if os.path.realpath(entry) not in known]
    for folder, why in folders:
        for name, path in _modules(folder, suffixes):
            if name in sys.builtin_module_names or FrozenImporter.find_spec(name) is not None:
                continue
            hidden, namespace = _first(later, name, suffixes)
            if hidden:
                same = os.path.realpath(hidden) == os.path.realpath(path) or _same(hidden, path)
                yield {
                    "name": name,
                    "path": path,
                    "why": why,
                    "hidden": hidden,
                    "namespace": namespace,
                    "same": same,
                }


def _modules(folder: str, suffixes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Regular packages and modules; a folder without an __init__ hides nothing."""
    try:
        names = sorted(os.listdir(folder))[:_MOST]
    except OSError:
        return
    for name in names:
        path = os.path.join(folder, name)
        package = os.path.join(path, "__init__.py")
        if os.path.isfile(package):
            yield name, package
        else:
            leaf = name.partition(".")[0]
            if leaf.isidentifier() and name[len(leaf) :] in (".py", *suffixes) and os.path.isfile(path):
                yield leaf, path


def _first(folders: Iterable[str], name: str, suffixes: Sequence[str]) -> tuple[str, bool]:
    """What would be imported without the front folders, and whether it is a namespace's portion."""
    portion = ""
    for folder in folders:
        start = os.path.join(folder, name)
        for ending in ("/__init__.py", *suffixes, ".py"):
            if os.path.isfile(start + ending):
                return start + ending, False
        if not portion and os.path.isdir(start) and _holds_modules(start):
            portion = start
    return portion, bool(portion)


def _holds_modules(folder: str) -> bool:
    try:
        names = os.listdir(folder)
    except OSError:
        return False
    return any(
        name.endswith((".py", ".so")) or os.path.isfile(os.path.join(folder, name, "__init__.py")) for name in names
    )


def _same(one: str, other: str) -> bool:
    try:
        with open(one, "rb") as first, open(other, "rb") as second:
            return first.read(_COMPARED) == second.read(_COMPARED)
    except OSError:
        return False

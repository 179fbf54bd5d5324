"""What lies in site-packages and nobody lists, what an interrupted installer left, and native code for elsewhere.

Sources: pip names what it moves away `~ame` and removes it at its end (pip's AdjacentTempDirectory);
e_machine of an ELF header (elf(5)).
Floor: Python 3.8.
"""

from __future__ import annotations

import os
import re
from typing import Any, Collection, Dict, Iterable

from imgcheck.collector.files_tree import Tree

SHOWN = 20
_METADATA = (".dist-info", ".egg-info", ".egg", ".data")
_TAGGED = re.compile(r"([^.]+)\.(cpython-\d+|pypy\d|graalpy|cp\d)[^.]*\.so")

Facts = Dict[str, Any]


def leftovers(tree: Tree) -> list[str]:
    """Folders that pip had renamed while it installed, and could not remove."""
    return [root + "/" + name for root in tree.roots for name in sorted(tree.names(root)) if name.startswith("~")]


def unowned(tree: Tree, owned: Collection[str], presumed: Collection[tuple[str, str]]) -> list[Facts]:
    """Importable files that nobody lists, by top-level name.

    Args:
        tree: where to look.
        owned: every listed path.
        presumed: (root, top-level name) of distributions that have no list.
    """
    tops = {(root, path[len(root) + 1 :].split("/", 1)[0]) for root in tree.roots for path in _below(owned, root)}
    found = []
    for root in tree.roots:
        for name in sorted(tree.names(root)):
            if name.startswith(("~", ".")) or name.endswith(_METADATA) or (root, _module(name)) in presumed:
                continue
            path = root + "/" + name
            files = list(tree.files(path)) if tree.is_folder(path) else [path]
            stray = [one for one in files if one not in owned and _is_importable(one, owned)]
            if stray:
                found.append(
                    {
                        "root": root,
                        "name": name,
                        "inside": (root, name) in tops,
                        "files": len(stray),
                        "paths": [one[len(root) + 1 :] for one in stray[:SHOWN]],
                    }
                )
    return found


def _below(paths: Iterable[str], root: str) -> Iterable[str]:
    start = root + "/"
    return (path for path in paths if path.startswith(start))


def _module(name: str) -> str:
    return name.partition(".")[0]


def _is_importable(path: str, owned: Collection[str]) -> bool:
    """Not the bytecode beside a listed source (Python 2's way)."""
    if path.endswith(".pyc"):
        return path[:-1] not in owned
    return path.endswith((".py", ".so"))


def foreign(tree: Tree, suffixes: Iterable[str], machine: int) -> list[Facts]:
    """Shared objects for another machine, and extension modules for another Python that have no fitting twin."""
    endings = tuple(suffixes)
    found = []
    for root in tree.roots:
        for path in tree.all_files(root):
            if not path.endswith(".so"):
                continue
            there = elf_machine(path)
            tagged = _TAGGED.fullmatch(os.path.basename(path))
            unfit = bool(tagged) and not _twin(tree, path, endings)
            if unfit or (there and there != machine):
                found.append({"path": path, "machine": there, "other_abi": tagged.group(2) if tagged and unfit else ""})
    return found


def _twin(tree: Tree, path: str, endings: Iterable[str]) -> bool:
    folder, _, name = path.rpartition("/")
    names = tree.names(folder)
    leaf = _module(name)
    return any(leaf + ending in names for ending in (*endings, ".py"))


def elf_machine(path: str) -> int:
    """e_machine; 0 where the file is no ELF file or cannot be read."""
    try:
        with open(path, "rb", buffering=0) as file:
            start = file.read(20)
    except (OSError, ValueError):
        return 0
    if len(start) < 20 or start[:4] != b"\x7fELF":
        return 0
    return int.from_bytes(start[18:20], "little" if start[5] == 1 else "big")

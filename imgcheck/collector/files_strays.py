"""What lies in site-packages and nobody lists, what an interrupted installer left, and native code for elsewhere.

Sources: pip names what it moves away `~ame` and removes it at its end (pip's AdjacentTempDirectory);
e_machine of an ELF header (elf(5)).
Floor: Python 3.8.
"""

from __future__ import annotations

import os
import re
from typing import Any, Collection, Dict, Iterable, Iterator, Sequence

from imgcheck.collector.files_contested import Claims
from imgcheck.collector.files_tree import Tree

SHOWN = 20
_IMPORTABLE = (".py", ".so", ".pyc")
_METADATA = (".dist-info", ".egg-info", ".egg", ".data")
_TAGGED = re.compile(r"([^.]+)\.(cpython-\d+|pypy\d|graalpy|cp\d)[^.]*\.so")

Facts = Dict[str, Any]


def leftovers(tree: Tree) -> list[str]:
    """Folders that pip had renamed while it installed, and could not remove."""
    return [root + "/" + name for root in tree.roots for name in tree.tops[root] if name.startswith("~")]


def unowned(tree: Tree, owned: Claims, presumed: Collection[tuple[str, str]]) -> list[Facts]:
    """Importable files that nobody lists, by top-level name.

    Args:
        tree: where to look.
        owned: every listed path.
        presumed: (root, top-level name) of distributions that have no list.
    """
    found = []
    for root in tree.roots:
        for name, stray in sorted(_strays(tree, root, owned).items()):
            if name.startswith(("~", ".")) or name.endswith(_METADATA) or (root, _module(name)) in presumed:
                continue
            start = f"{root}/{name}/"
            found.append(
                {
                    "root": root,
                    "name": name,
                    "inside": any(path.startswith(start) for path in owned),
                    "files": len(stray),
                    "paths": sorted(stray)[:SHOWN],
                }
            )
    return found


def _strays(tree: Tree, root: str, owned: Claims) -> dict[str, list[str]]:
    """Top-level name -> paths below the root."""
    found: dict[str, list[str]] = {}
    length = len(root) + 1
    for path in tree.files[root]:
        if path in owned or not path.endswith(_IMPORTABLE):
            continue
        if not path.endswith(".pyc") or path[:-1] not in owned:  # the bytecode beside a listed source is Python 2's way
            relative = path[length:]
            found.setdefault(relative.partition("/")[0], []).append(relative)
    return found


def _module(name: str) -> str:
    return name.partition(".")[0]


def foreign(tree: Tree, suffixes: Sequence[str], machine: int) -> list[Facts]:
    """Shared objects for another machine, and extension modules for another Python that have no fitting twin.

    What bears the interpreter's own tag is taken at its word, where the tag names the machine.
    """
    own = tuple(one for one in suffixes[:1] if os.uname().machine in one)
    return [
        facts
        for root in tree.roots
        for path in sorted(one for one in tree.files[root] if one.endswith(".so") and not one.endswith(own))
        for facts in _foreign(tree, path, suffixes, machine)
    ]


def _foreign(tree: Tree, path: str, suffixes: Iterable[str], machine: int) -> Iterator[Facts]:
    there = elf_machine(path)
    folder, _, name = path.rpartition("/")
    tagged = _TAGGED.fullmatch(name)
    leaf = folder + "/" + _module(name)
    unfit = tagged is not None and not any(leaf + ending in tree for ending in (*suffixes, ".py"))
    if unfit or (there and there != machine):
        yield {"path": path, "machine": there, "other_abi": tagged.group(2) if tagged and unfit else ""}


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

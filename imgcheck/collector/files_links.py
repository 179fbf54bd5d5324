"""What leads to another place, and whether there is one: lines of .pth files, editable installs, symbolic links.

Sources: Python's `site` module (.pth files), setuptools' development mode (.egg-link, __editable__ finders).
Floor: Python 3.8.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Iterable, Iterator

from imgcheck.collector.access import is_missing
from imgcheck.collector.files_owners import read_text
from imgcheck.collector.files_tree import Tree
from imgcheck.collector.module_names import mapped

_BYTE_ORDER_MARK = "\ufeff"
_ENDINGS = ("", ".py", ".so", ".pyc")

Facts = Dict[str, Any]


def dangling(tree: Tree, distributions: Iterable[Facts]) -> list[Facts]:
    """Each as {"kind", "source", "line", "target"}, of what is not there."""
    found: list[Facts] = []
    for root in tree.roots:
        for name in tree.tops[root]:
            path = root + "/" + name
            if name.endswith(".pth"):
                found.extend(_path_lines(root, path))
            elif name.endswith(".py") and name.startswith(("__editable__", "_editable_impl_")):
                found.extend(_finder(path))
    found.extend(_egg_links(distributions))
    found.extend(_links(tree.links))
    return found


def _path_lines(root: str, path: str) -> Iterator[Facts]:
    for number, line in enumerate(read_text(path).lstrip(_BYTE_ORDER_MARK).splitlines(), 1):
        text = line.strip()
        if not text or line.startswith(("#", "import ", "import\t")):
            continue
        if is_missing(os.path.join(root, text)):
            yield _fact("pth", path, text, number)


def _finder(path: str) -> Iterator[Facts]:
    for _, target in sorted(mapped(read_text(path)).items()):
        if all(is_missing(target + ending) for ending in _ENDINGS):
            yield _fact("finder", path, target)


def _egg_links(distributions: Iterable[Facts]) -> Iterator[Facts]:
    for one in distributions:
        if one["kind"] == "egg-link" and is_missing(one["direct_url"] or "/nowhere"):
            yield _fact("egg-link", one["metadata_path"], one["direct_url"], 1)


def _links(paths: Iterable[str]) -> Iterator[Facts]:
    for path in sorted(paths):
        if is_missing(path):
            try:
                yield _fact("symlink", path, os.readlink(path))
            except OSError:
                continue


def _fact(kind: str, source: str, target: str, line: int = 0) -> Facts:
    return {"kind": kind, "source": source, "target": target[:1000], "line": line}

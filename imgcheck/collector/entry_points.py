"""Entry points, looked up without importing anything: whether the module's file is there, and binds the name.

Source: the entry points specification (packaging.python.org), "module[:attribute] [extras]".
Floor: Python 3.8.
"""

from __future__ import annotations

import ast
import os
import re
from typing import Any, Dict, Iterable, Iterator

from imgcheck.collector.locations import Locations
from imgcheck.collector.sources import read_source

_DYNAMIC = ("globals", "setattr", "exec", "vars", "lazy", "attach", "_LazyModule")

Facts = Dict[str, Any]


def entry_points(distributions: Iterable[Facts], locations: Locations) -> Iterator[Facts]:
    """Each as {"distribution", "group", "name", "value", "module", "found", "binds"}; `binds` is None if untold."""
    bindings: dict[str, Bindings] = {}
    for one in distributions:
        for entry in one["entry_points"]:
            plain = entry["value"].partition("[")[0].strip()
            module, _, attribute = (part.strip() for part in plain.partition(":"))
            found = locations.find(module) if module else None
            if module and not found and not attribute:  # some groups write `module.attribute`
                parent, _, last = module.rpartition(".")
                found = locations.find(parent) if parent else None
                module, attribute = (parent, last) if found else (module, "")
            binds: bool | None = True
            if found and attribute:
                if found not in bindings:
                    bindings[found] = bindings_of(found)
                first = attribute.partition(".")[0]
                binds = _is_submodule(found, first) or bindings[found].tell(first)
            yield dict(entry, distribution=one["metadata_path"], module=module, found=found or "", binds=binds)


def _is_submodule(file: str, name: str) -> bool:
    """A package may be asked for a module of its own, which its import binds."""
    if not file.endswith("/__init__.py"):
        return False
    folder = os.path.dirname(file)
    return any(os.path.exists(os.path.join(folder, name + ending)) for ending in ("", ".py"))


class Bindings:
    """Names that a module binds at its top level, as far as can be read: only a source in Python can be.

    Most are functions and classes, whose lines tell; only else it is parsed.
    """

    def __init__(self, source: bytes | None) -> None:
        self._source = source
        self._tree: ast.AST | None = None
        self._names: frozenset[str] | None = None

    def tell(self, name: str) -> bool | None:
        """Whether it binds a name; None where only running it can tell."""
        if self._source is None:
            return None
        if re.search(rb"^(?:def|async def|class) " + re.escape(name.encode()) + rb"\b", self._source, re.MULTILINE):
            return True
        if self._tree is None:
            try:
                self._tree = ast.parse(self._source)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None
            self._names = frozenset(_bound(self._tree))
        names = self._names or frozenset()
        if name in names:
            return True
        return None if "*" in names or "__getattr__" in names or _is_dynamic(self._tree) else False


def bindings_of(file: str) -> Bindings:
    return Bindings(read_source(file) if file.endswith(".py") else None)


def _bound(tree: ast.AST) -> Iterator[str]:
    for node in _outside_functions(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from ((alias.asname or alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _outside_functions(tree: ast.AST) -> Iterator[ast.AST]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        waiting.extend(ast.iter_child_nodes(node))


def _is_dynamic(tree: ast.AST) -> bool:
    """It binds names by other means, as far as can be seen."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            return True
        if isinstance(node, ast.Call):
            called = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
            if called in _DYNAMIC:
                return True
        if isinstance(node, ast.Attribute) and node.attr == "modules" and getattr(node.value, "id", "") == "sys":
            return True
    return False

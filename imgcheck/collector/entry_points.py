"""Entry points, looked up without importing anything: whether the module's file is there, and binds the name.

Source: the entry points specification (packaging.python.org), "module[:attribute] [extras]".
Floor: Python 3.8.
"""

from __future__ import annotations

import ast
import os
from typing import Any, Dict, Iterable, Iterator, NamedTuple

from imgcheck.collector.locations import Locations

_LARGEST = 1 << 23
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
                known = bindings[found].tell(first)
                binds = known or _is_submodule(found, first) or known
            yield dict(entry, distribution=one["metadata_path"], module=module, found=found or "", binds=binds)


def _is_submodule(file: str, name: str) -> bool:
    """A package may be asked for a module of its own, which its import binds."""
    if not file.endswith("/__init__.py"):
        return False
    folder = os.path.dirname(file)
    return any(os.path.exists(os.path.join(folder, name + ending)) for ending in ("", ".py"))


class Bindings(NamedTuple):
    """Names that a module binds at its top level, and whether it may bind others as it runs."""

    names: frozenset[str]
    others: bool

    def tell(self, name: str) -> bool | None:
        return name in self.names or (None if self.others else False)


def bindings_of(file: str) -> Bindings:
    """What can be read of it; only a source in Python can be."""
    if not file.endswith(".py"):
        return Bindings(frozenset(), others=True)
    try:
        with open(file, "rb") as stream:
            tree = ast.parse(stream.read(_LARGEST))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return Bindings(frozenset(), others=True)
    names: set[str] = set()
    for node in _outside_functions(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((alias.asname or alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return Bindings(frozenset(names), others="*" in names or "__getattr__" in names or _is_dynamic(tree))


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

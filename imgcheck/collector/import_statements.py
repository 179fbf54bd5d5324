"""Import statements of a source, by its lines and by its syntax; nothing is run.

Floor: Python 3.8.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import Iterable, Iterator

_LINE = re.compile(rb"^(?:import[ \t]+([^#;\n]+)|from[ \t]+([^\s.][^\s]*)[ \t]+import\b)", re.MULTILINE)
_ENDS = frozenset(("exit", "_exit", "quit", "skip", "importorskip"))


def imported_names(source: bytes) -> Iterator[str]:
    """Top-level names of statements that begin a line."""
    for match in _LINE.finditer(source):
        for part in (match[1] or match[2]).split(b","):
            yield part.strip().partition(b" ")[0].partition(b".")[0].decode("utf-8", "replace")


def always_imported(source: bytes, wanted: set[str]) -> list[tuple[str, int]]:
    """Of the wanted names those that a statement imports which runs whenever the module does, each with its line."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [(name, one.lineno) for one in _always_run(ast.parse(source).body) for name in _imported(one)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    lines = dict(found[::-1])  # the first of each
    return [(name, line) for name, line in sorted(lines.items()) if name in wanted]


def _always_run(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if _may_end(statement):
            return
        yield statement


def _imported(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.Import):
        return [alias.name.partition(".")[0] for alias in statement.names]
    if isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
        return [statement.module.partition(".")[0]]
    return []


def _may_end(statement: ast.AST) -> bool:
    """Whether it can end the import of its own will: what comes after it is conditional."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return False
    if isinstance(statement, ast.Raise):
        return True
    if isinstance(statement, ast.Call):
        function = statement.func
        if (getattr(function, "attr", "") or getattr(function, "id", "")) in _ENDS:
            return True
    return any(_may_end(child) for child in ast.iter_child_nodes(statement))

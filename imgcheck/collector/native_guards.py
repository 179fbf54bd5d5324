"""Whether a distribution goes on without one of its compiled modules: how its own sources import it.

An import is guarded where it stands in a `try` that has handlers, or in a function: not being able to load the module
is then no failed import of the package. Only files that hold the module's last name are parsed.
Floor: Python 3.8.
"""

from __future__ import annotations

import ast
import os
from typing import Iterable, Iterator

from imgcheck.collector.sources import read_source

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def is_guarded(module: str, sources: Iterable[tuple[str, str]]) -> bool | None:
    """True: every import of it is guarded; False: one is not; None: no source imports it by a statement.

    Args:
        module: dotted name of the compiled module.
        sources: (dotted name, path) of the sources that may import it.
    """
    leaf = module.rpartition(".")[2].encode()
    answer: bool | None = None
    for name, path in sources:
        text = read_source(path) or b""
        if leaf not in text:
            continue
        for guarded in _imports(text, module, _package(name, path)):
            if not guarded:
                return False
            answer = True
    return answer


def _package(name: str, path: str) -> str:
    return name if os.path.basename(path) == "__init__.py" else name.rpartition(".")[0]


def _imports(text: bytes, module: str, package: str) -> Iterator[bool]:
    """For each statement that imports the module: whether it is guarded."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, guarded = waiting.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)) and module in _named(node, package):
            yield guarded
        tried = node.body if isinstance(node, ast.Try) and node.handlers else []
        inside = guarded or isinstance(node, _FUNCTIONS)
        waiting.extend((child, inside or child in tried) for child in ast.iter_child_nodes(node))


def _named(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[str]:
    """Dotted names of modules that a statement may load."""
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names)
        return
    parts = package.split(".") if package else []
    above = parts[: len(parts) - node.level + 1] if node.level else []
    start = ".".join([*above, *([node.module] if node.module else [])])
    yield start
    yield from (f"{start}.{one.name}" if start else one.name for one in node.names)

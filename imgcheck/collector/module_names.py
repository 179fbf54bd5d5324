"""Names that lead to modules where RECORD does not: spellings of a distribution's, and what an editable install maps.

Floor: Python 3.8.
"""

from __future__ import annotations

import ast
import os
import re
from typing import Any


def guesses(name: str) -> list[str]:
    plain = re.sub(r"[-.]+", "_", name)
    return [plain, plain.lower(), name.replace("-", "/"), name.replace(".", "/")]


def mapped(text: str) -> dict[str, str]:
    """Names and paths that a finder of setuptools (MAPPING = {...}) or of editables (map_module(...)) holds."""
    found: dict[str, str] = {}
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return found
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and _target(node) == "MAPPING":
            found.update(_strings(node.value))
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "map_module":
            pair = [_value(one) for one in node.args]
            if len(pair) == 2 and all(isinstance(one, str) for one in pair):
                found[pair[0]] = os.path.dirname(pair[1]) if pair[1].endswith("/__init__.py") else pair[1]
    return found


def _target(node: ast.Assign | ast.AnnAssign) -> str:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return getattr(targets[0], "id", "")


def _strings(node: ast.expr | None) -> dict[str, str]:
    value = _value(node)
    pairs = value.items() if isinstance(value, dict) else ()
    return {key: path for key, path in pairs if isinstance(key, str) and isinstance(path, str)}


def _value(node: Any) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return None

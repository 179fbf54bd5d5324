"""Whether a module reads the command line as soon as it runs: then it is a script. By its syntax; nothing is run.

Floor: Python 3.8.
"""

from __future__ import annotations

import ast
import warnings

_PARSERS = frozenset(("parse_args", "parse_known_args", "getopt"))  # argparse, optparse; getopt
_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def reads_arguments(source: bytes) -> bool:
    """At its top level: not in functions, nor where `__name__` is compared."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return any(map(_reads, ast.parse(source).body))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _reads(node: ast.AST) -> bool:
    if isinstance(node, _LATER):
        return False
    if isinstance(node, ast.If) and _names_itself(node.test):
        return any(map(_reads, node.orelse))
    if isinstance(node, ast.Attribute) and node.attr == "argv":
        return getattr(node.value, "id", "") == "sys"
    if isinstance(node, ast.Call) and _reads_them(node.func):
        return True
    return any(map(_reads, ast.iter_child_nodes(node)))


def _reads_them(function: ast.AST) -> bool:
    """Parsers do, and `setup()` of a setup.py, which also looks through the working directory."""
    if isinstance(function, ast.Name):
        return function.id in _PARSERS or function.id == "setup"
    if isinstance(function, ast.Attribute):
        of = getattr(function.value, "id", "")
        return function.attr in _PARSERS or (function.attr == "setup" and of in ("setuptools", "core"))
    return False


def _names_itself(test: ast.AST) -> bool:
    return any(getattr(node, "id", "") == "__name__" for node in ast.walk(test))

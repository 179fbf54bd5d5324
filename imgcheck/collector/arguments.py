"""Whether a module reads the command line as soon as it runs: then it is a script. By its syntax; nothing is run.

Floor: Python 3.8.
"""

from __future__ import annotations

import ast
import re
import warnings

_PARSERS = frozenset(("parse_args", "parse_known_args", "getopt"))  # argparse, optparse; getopt
_BUILDS = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(?:setuptools|distutils)\b", re.MULTILINE)
_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def reads_arguments(source: bytes, *, by_hand: bool) -> bool:
    """At its top level: not in functions, nor where `__name__` is compared.

    Args:
        source: of the module.
        by_hand: `sys.argv` counts as well, which libraries look at for other reasons too.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(source).body
        builds = _BUILDS.search(source) is not None
        return any(_reads(node, by_hand, builds) for node in body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _reads(node: ast.AST, by_hand: bool, builds: bool) -> bool:
    if isinstance(node, _LATER):
        return False
    if isinstance(node, ast.Attribute) and node.attr == "argv":
        return by_hand and getattr(node.value, "id", "") == "sys"
    if isinstance(node, ast.Call) and _reads_them(node.func, builds):
        return True
    guarded = isinstance(node, ast.If) and _names_itself(node.test)
    below = node.orelse if guarded and isinstance(node, ast.If) else ast.iter_child_nodes(node)
    return any(_reads(one, by_hand, builds) for one in below)


def _reads_them(function: ast.AST, builds: bool) -> bool:
    """Parsers do, and `setup()` of a setup.py, which also looks through the working directory."""
    name = getattr(function, "attr", "") or getattr(function, "id", "")
    return name in _PARSERS or (builds and name == "setup")


def _names_itself(test: ast.AST) -> bool:
    return any(getattr(node, "id", "") == "__name__" for node in ast.walk(test))

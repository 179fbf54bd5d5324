"""Calls one self-check in a fresh interpreter of the image, and writes what became of it into a file.

It expects: the file, and the entry point's value ("package.module:function").
Result: {"outcome": ..., "reason": ..., "returned": ...} in that file; without one, the process ended on the way.
Its text is given to the interpreter with -c: what it calls can import nothing of imgcheck. Floor: Python 3.8.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import sys
import unittest
from typing import Any

_LIMIT = 32 * 1024
"""Characters of JSON; a self-check that returns more is told so."""


def main(file: str, value: str) -> None:
    sys.path[:] = [entry for entry in sys.path if entry]  # the working folder is nobody's package
    sys.argv = [value]
    function = _loaded(file, value)
    try:
        returned = _called(function)
    except unittest.SkipTest as skip:
        _tell(file, "skipped", reason=str(skip) or "without a reason")
        return
    except BaseException as error:
        _tell(file, "raised", reason=f"{type(error).__name__}: {error}"[:2000])
        raise
    _tell(file, "returned", returned=returned)


def _loaded(file: str, value: str) -> Any:
    module, _, names = (part.strip() for part in value.partition("[")[0].partition(":"))
    try:
        found = importlib.import_module(module)
        for name in filter(None, names.split(".")):
            found = getattr(found, name)
    except BaseException as error:
        _tell(file, "unloadable", reason=f"{type(error).__name__}: {error}"[:2000])
        raise
    if not callable(found):
        _tell(file, "unloadable", reason=f"{value} is no function but {type(found).__name__}")
        sys.exit(1)
    return found


def _called(function: Any) -> Any:
    """Coroutines and generators are run to their end: nothing that was not run counts as passed."""
    result = function()
    if inspect.isawaitable(result):
        result = asyncio.run(_awaited(result))
    if inspect.isgenerator(result):
        result = list(result)
    return result


async def _awaited(result: Any) -> Any:
    return await result


def _tell(file: str, outcome: str, reason: str = "", returned: Any = None) -> None:
    answer = {"outcome": outcome, "reason": reason, "returned": returned if isinstance(returned, dict) else None}
    try:
        text = json.dumps(answer, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        text = json.dumps({"outcome": "untellable", "reason": f"{type(error).__name__}: {error}"[:2000]})
    if len(text) > _LIMIT:
        text = json.dumps({"outcome": "untellable", "reason": f"it returned {len(text)} characters of JSON"})
    with open(file, "w", encoding="ascii") as stream:
        stream.write(text)


def _plain(value: Any) -> Any:
    """Numpy's and torch's scalars as numbers; anything else as its text."""
    item = getattr(value, "item", None)
    if item is not None:
        return item()
    return repr(value)[:200]


if __name__ == "__main__":
    main(*sys.argv[1:3])

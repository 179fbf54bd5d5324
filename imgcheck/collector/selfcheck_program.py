"""Calls one self-check in a fresh interpreter of the image, and writes what became of it into a file.

It expects: the file, and the entry point's value ("package.module:function").
Result: {"outcome", "reason", "returned", "denied"} in that file; without one, the process ended on the way.
Its text is given to the interpreter with -c: what it calls can import nothing of imgcheck. Floor: Python 3.8.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import os
import sys
import unittest
from typing import Any

_EVENTS = frozenset({"open", "os.mkdir"})
_MOST_PATHS = 10_000
_SHOWN = 20
_LIMIT = 32 * 1024
"""Characters of JSON; a self-check that returns more is told so."""


class Writes:
    """Where the code tried to write, heard by an audit hook (PEP 578); most programs hide that they could not."""

    def __init__(self) -> None:
        self._paths: dict[str, None] = {}

    def listen(self, event: str, arguments: Any) -> None:
        """It hears every event, so it has to be quick, and nothing it raises may come out."""
        if event not in _EVENTS or len(self._paths) >= _MOST_PATHS:
            return
        try:
            path, flags = arguments[0], arguments[2] if event == "open" else os.O_CREAT
            if isinstance(path, (str, bytes)) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                self._paths[os.path.abspath(os.fsdecode(path))] = None
        except Exception:
            return

    def denied(self) -> list[str]:
        """Those where this user cannot write; byte code, which Python writes where it may, left out."""
        tried = [path for path in list(self._paths) if "__pycache__" not in path]
        return [path for path in tried if not _may_write(path)][:_SHOWN]


def _may_write(path: str) -> bool:
    if os.path.exists(path) and not os.path.isdir(path):
        return os.access(path, os.W_OK)
    while not os.path.isdir(path):
        path = os.path.dirname(path)
    return os.access(path, os.W_OK | os.X_OK)


WRITES = Writes()


def main(file: str, value: str) -> None:
    if hasattr(sys, "addaudithook"):
        sys.addaudithook(WRITES.listen)
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
    told = returned if isinstance(returned, dict) else None
    denied = WRITES.denied()
    try:
        text = json.dumps({"outcome": outcome, "reason": reason, "returned": told, "denied": denied}, default=_plain)
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

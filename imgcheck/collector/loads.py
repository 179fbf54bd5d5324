"""Shared libraries that an import tried to load in vain, tried once more after it: what the loader says.

It expects: paths by the module whose import tried them, the interpreter, and the seconds that one process may take.
Result: for each path the loader's words, empty where it loads now; or why it could not be tried again.
Floor: Python 3.8, Linux.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, Mapping, Sequence

from imgcheck.collector.fresh import run_fresh

_LONGEST = 2000

# A module, then the loader by itself, as imports and ctypes ask it (RTLD_NOW, which is 2).
_PROGRAM = """
from _ctypes import dlopen
try:
    __import__(arguments[0])
except BaseException:
    pass
for place, path in enumerate(arguments[1:]):
    words = ""
    try:
        dlopen(path, 2)
    except BaseException as error:
        words = str(error) or type(error).__name__
    tell(place, words[:2000])
_exit(0)
"""

Facts = Dict[str, Any]


def try_loads(paths: Mapping[str, Sequence[str]], python: str, seconds: float, scratch: str) -> Iterator[Facts]:
    """One dictionary a path, module by module."""
    for module, files in paths.items():
        ran = run_fresh(python, _PROGRAM, [module, *files], seconds, scratch)
        words = dict(_words(ran.answers, len(files)))
        for place, path in enumerate(files):
            told = {"error": words[place]} if place in words else {"problem": ran.ending}
            yield {"module": module, "path": path, **told}


def _words(answers: Sequence[Sequence[Any]], count: int) -> Iterator[tuple[int, str]]:
    for answer in answers:
        if len(answer) == 2 and type(answer[0]) is int and 0 <= answer[0] < count and isinstance(answer[1], str):
            yield answer[0], answer[1][:_LONGEST]

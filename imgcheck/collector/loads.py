"""Shared libraries that an import tried to load in vain, tried once more after it: what the loader says.

It expects: paths by the module whose import tried them, the interpreter, and the seconds that one process may take.
Result: for each path the loader's words, empty where it loads now; or why it could not be tried again.
Floor: Python 3.8, Linux.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from typing import Any, Dict, Iterator, Mapping, Sequence

_LONGEST = 2000
_LARGEST = 1 << 20

# A module in a fresh interpreter, then the loader by itself, as imports and ctypes ask it (RTLD_NOW, which is 2).
_PROGRAM = """
import sys
sys.path[:] = [entry for entry in sys.path if entry]
from _ctypes import dlopen
from posix import _exit, write
number, name, paths = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
del sys.argv[1:]
try:
    __import__(name)
except BaseException:
    pass
for place, path in enumerate(paths):
    words = ""
    try:
        dlopen(path, 2)
    except BaseException as error:
        words = str(error) or type(error).__name__
    import json
    write(number, json.dumps([place, words[:2000]]).encode("ascii") + b"\\n")
_exit(0)
"""

Facts = Dict[str, Any]


def try_loads(paths: Mapping[str, Sequence[str]], python: str, seconds: float, scratch: str) -> Iterator[Facts]:
    """One dictionary a path, module by module."""
    for module, files in paths.items():
        words, problem = _tried(module, files, python, seconds, scratch)
        for place, path in enumerate(files):
            told = {"error": words[place]} if place in words else {"problem": problem}
            yield {"module": module, "path": path, **told}


def _tried(module: str, paths: Sequence[str], python: str, seconds: float, scratch: str) -> tuple[dict[int, str], str]:
    """What the loader said of each path that came to its turn, and why the others did not."""
    with tempfile.TemporaryFile(dir=scratch) as answers:
        process = subprocess.Popen(
            [python, "-c", _PROGRAM, str(answers.fileno()), module, *paths],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[answers.fileno()],
            start_new_session=True,
        )
        try:
            status: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _end(process)
        answers.seek(0)
        words = dict(_read(answers.read(_LARGEST), len(paths)))
    if status is None:
        return words, f"it did not end within {seconds:g} s"
    return words, f"its process ended with {'signal' if status < 0 else 'status'} {abs(status)}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """The whole session's group; what fled from it ends with the container."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass
    process.wait()


def _read(data: bytes, count: int) -> Iterator[tuple[int, str]]:
    """A module may write there as well: what is no answer is passed over."""
    for line in data.split(b"\n"):
        try:
            place, words = json.loads(line)
        except (ValueError, TypeError, RecursionError):
            continue
        if type(place) is int and 0 <= place < count and isinstance(words, str):
            yield place, words[:_LONGEST]

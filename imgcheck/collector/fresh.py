"""Runs a program in a fresh interpreter of the image, which answers in lines on a descriptor of its own.

What it prints goes nowhere. Answers are lists in JSON, one a line; a module that it imports may write there as well,
so that whoever reads them takes only what makes sense.
Floor: Python 3.8, Linux.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from typing import Any, Iterator, NamedTuple, Sequence

_LARGEST = 1 << 20

# What each program begins with: the script's folder is no place to import from.
HEAD = """
import sys
sys.path[:] = [entry for entry in sys.path if entry]
from posix import _exit, write
number, arguments = int(sys.argv[1]), sys.argv[2:]
del sys.argv[1:]
def tell(*fields):
    import json
    write(number, json.dumps(fields).encode("ascii") + b"\\n")
"""


class Ran(NamedTuple):
    """What came, and how the process ended: told where something is missing."""

    answers: Sequence[Sequence[Any]]
    ending: str


def run_fresh(python: str, program: str, arguments: Sequence[str], seconds: float, scratch: str) -> Ran:
    with tempfile.TemporaryFile(dir=scratch) as file:
        process = subprocess.Popen(
            [python, "-c", HEAD + program, str(file.fileno()), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[file.fileno()],
            start_new_session=True,
        )
        try:
            status: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _end(process)
        file.seek(0)
        answers = tuple(_lists(file.read(_LARGEST)))
    if status is None:
        return Ran(answers, f"it did not end within {seconds:g} s")
    return Ran(answers, f"its process ended with {'signal' if status < 0 else 'status'} {abs(status)}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """The whole session's group; what fled from it ends with the container."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass
    process.wait()


def _lists(data: bytes) -> Iterator[Sequence[Any]]:
    for line in data.split(b"\n"):
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(answer, list):
            yield answer

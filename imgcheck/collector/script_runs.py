"""Runs console scripts with --help, and with --version where that is no answer. Facts only.

Each runs in a session of its own, which is ended with all that it started; of its output the end is told.
Floor: Python 3.8.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, Iterable, Sequence

_TAIL = 4096
_TRACEBACK = b"Traceback (most recent call last)"
_OPTIONS = ("--help", "--version")

Facts = Dict[str, Any]


def run_scripts(scripts: Iterable[tuple[str, str]], request: Facts, send: Callable[[Facts], None]) -> None:
    """Sends facts on each (name, path) as it ends. `request` holds "within" (seconds), "jobs" and "scratch"."""
    lock = threading.Lock()

    def one(pair: tuple[str, str]) -> None:
        facts = _run(pair[0], pair[1], request["within"], request["scratch"])
        with lock:
            send(facts)

    with ThreadPoolExecutor(max(1, request["jobs"])) as pool:
        list(pool.map(one, scripts))


def _run(name: str, path: str, within: float, scratch: str) -> Facts:
    facts: Facts = {}
    for option in _OPTIONS:
        facts = dict(_once([path, option], within, scratch), name=name, path=path, option=option)
        if facts["outcome"] != "other":
            break
    return facts


def _once(words: Sequence[str], within: float, scratch: str) -> Facts:
    with tempfile.TemporaryFile(dir=scratch) as output:
        try:
            process = subprocess.Popen(
                words,
                cwd=scratch,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            return {"outcome": "unstarted", "status": None, "output": str(error)}
        try:
            status: int | None = process.wait(within)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _end(process)
        return _told(status, output)


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()


def _told(status: int | None, output: Any) -> Facts:
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - 16 * _TAIL))
    data = output.read()
    if status is None:
        outcome = "timeout"
    elif status < 0:
        outcome = "signal"
    elif status == 0:
        outcome = "answer"
    else:
        outcome = "traceback" if _TRACEBACK in data else "other"
    return {"outcome": outcome, "status": status, "output": data[-_TAIL:].decode("utf-8", "backslashreplace")}

"""Ends what a run left behind: every process that carries the run's mark among its variables.

A session's group is not enough: daemons leave it. What clears its variables stays.
Floor: Python 3.8, Linux.
"""

from __future__ import annotations

import os
import signal
import time
from typing import Iterator

MARK = "IMGCHECK_RUN"
_ROUNDS = 50
_EVERY = 0.02


def end_marked(mark: str) -> None:
    """Until there is none, or they will not end."""
    for _ in range(_ROUNDS):
        found = list(_marked(f"{MARK}={mark}".encode()))
        if not found:
            return
        for number in found:
            try:
                os.kill(number, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(_EVERY)


def _marked(wanted: bytes) -> Iterator[int]:
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    variables = file.read()
            except OSError:  # another user's, or gone
                continue
            if wanted in variables.split(b"\0"):
                yield int(name)

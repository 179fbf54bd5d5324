"""Ctrl-C, a scheduler's TERM, a terminal's hang-up: the first of them ends the run.

What makes or removes things is not cut short.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from imgcheck.errors import ExitCode

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_heard: list[int] = []


def hear() -> None:
    """From now on each of them is one KeyboardInterrupt. What whoever started this run ignores stays ignored."""
    _heard.clear()
    for one in _SIGNALS:
        if signal.getsignal(one) is not signal.SIG_IGN:
            signal.signal(one, _interrupted)


def hear_no_more() -> None:
    """The command is over, and its exit code is settled: what comes while Python ends changes neither."""
    for one in _SIGNALS:
        signal.signal(one, signal.SIG_IGN)


def _interrupted(number: int, _frame: FrameType | None) -> None:
    """The first ends the run. Later ones change nothing, until somebody means it."""
    _heard.append(number)
    if len(_heard) == 1:
        raise KeyboardInterrupt
    if len(_heard) == 2:
        sys.stderr.write("imgcheck: removing what this run made; once more leaves it for imgcheck clean\n")
        sys.stderr.flush()
    if len(_heard) > 2:
        os._exit(ExitCode.INTERRUPTED)


@contextmanager
def held_back() -> Iterator[None]:
    """They wait until the block is done: what was made is known, and removing is not cut short."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pending: list[int] = []

    def wait(number: int, frame: FrameType | None) -> None:
        if _heard:
            _interrupted(number, frame)
        else:
            pending.append(number)

    before = {one: signal.getsignal(one) for one in _SIGNALS}
    ours = [one for one, handler in before.items() if handler is not signal.SIG_IGN and handler is not None]
    for one in ours:
        signal.signal(one, wait)
    try:
        yield
    finally:
        for one in ours:
            signal.signal(one, before[one])
        if pending:
            signal.raise_signal(pending[0])

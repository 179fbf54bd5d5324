"""The processes of a sweep: which are ours, and an end to those that modules leave behind.

The server makes itself the reaper of orphans (prctl(2), PR_SET_CHILD_SUBREAPER): whatever a module starts, in however
many sessions, is the server's child as soon as the module's own process has ended.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any, ContextManager, Dict, List

from imgcheck.collector import sweep_proc

_SET_CHILD_SUBREAPER = 36
_PATIENCE = 5.0

Running = Dict[int, List[str]]  # tested process: names of its modules


class Family:
    """Knows the living processes of a sweep and ends what is left over."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._mine: set[int] = set()
        self._running: Running = {}
        self._suspects: dict[int, Running] = {}  # orphan: the tested processes that ran when it was found
        self.left: list[dict[str, Any]] = []
        self.most = 0
        self.closing = False
        self._others = sweep_proc.children()
        self.reaping = _reap_orphans(True)

    def born(self, process: int) -> None:
        """A zygote or a tested process came to life."""
        with self._lock:
            self._mine.add(process)

    def gone(self, process: int) -> None:
        with self._lock:
            self._mine.discard(process)

    def started(self, process: int, names: list[str]) -> None:
        """A tested process: until it has finished, orphans may be its."""
        with self._lock:
            self._mine.add(process)
            self._running[process] = names

    def settled(self, process: int) -> None:
        """A tested process lives on as a zygote."""
        with self._lock:
            self._running.pop(process, None)

    def finished(self, process: int) -> list[str]:
        """Ends what the process left. Returns the command lines of what is certainly its."""
        with self._lock:
            running = dict(self._running)
            self._running.pop(process, None)
            self._mine.discard(process)
            left = self._end_orphans(process, running)
            self.left.extend(left)
            return [one["command"] for one in left if one["modules"] == running.get(process)]

    def starting(self) -> ContextManager[bool]:
        """Held while a child of the server is made, so that it is not taken for an orphan."""
        return self._lock

    def _end_orphans(self, session: int | None, running: Running) -> list[dict[str, Any]]:
        own: Running = {} if session is None else {session: running.get(session, [])}
        left = []
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            orphans = sweep_proc.children() - self._mine - self._others
            doomed = [one for one in orphans if self._is_due(one, session, running)]
            if not doomed:
                break
            for process in doomed:
                origin = self._suspects.pop(process, own)
                found = sweep_proc.status(process)
                if found and found.state not in "ZX":
                    modules = sorted({name for names in origin.values() for name in names})
                    left.append({"process": process, "command": sweep_proc.name(process), "modules": modules})
                end(process)
                wait(process)
        return left

    def _is_due(self, process: int, session: int | None, running: Running) -> bool:
        """An orphan is due when every tested process that could have started it has finished."""
        found = sweep_proc.status(process)
        if found is None or found.session == session:
            self._suspects.pop(process, None)
            return True
        if found.session in self._running:
            return False
        return self._suspects.setdefault(process, running).keys().isdisjoint(self._running)

    def measure(self) -> None:
        """Takes note of the memory in use now."""
        with self._lock:
            processes = set(self._mine)
        self.most = max(self.most, sum(sweep_proc.proportional(one) for one in processes))

    def close(self) -> None:
        """Ends all that is left, ours or not."""
        with self._lock:
            self.closing = True
            for process in self._mine:
                end(process)
            mine, self._mine = self._mine, set()
            self._running.clear()
            self.left.extend(one for one in self._end_orphans(None, {}) if one["process"] not in mine)
        _reap_orphans(False)


def end(process: int) -> None:
    """Ends a process and its group, if it leads one."""
    for kill in (os.killpg, os.kill):
        try:
            kill(process, signal.SIGKILL)
        except OSError:
            pass


def wait(process: int) -> tuple[int, float] | None:
    """Status and CPU seconds of an own child; None where it is none."""
    try:
        _, status, usage = os.wait4(process, 0)
    except OSError:
        return None
    return status, usage.ru_utime + usage.ru_stime


def _reap_orphans(wanted: bool) -> bool:
    try:
        import ctypes  # noqa: PLC0415  # a Python may have been built without it

        return bool(ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0) == 0)
    except (ImportError, OSError, AttributeError):
        return False

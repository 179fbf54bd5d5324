"""A probe's process: in a session of its own, ended with all that it started, and what fled from it is told.

This process adopts what a daemon leaves behind (prctl(2), PR_SET_CHILD_SUBREAPER), so that nothing gets away by a
double fork. Floor: Python 3.8.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from typing import Iterable

from imgcheck.collector.probe_output import Output

PATIENCE = 5.0
"""Seconds between TERM and KILL, and for what is left to go by itself."""
_POLL = 0.05
_SUBREAPER = 36
_SHOWN = 20
_OWN: set[int] = set()
"""Processes whose end subprocess collects."""


def adopt_orphans() -> None:
    """What loses its parent below this process becomes this process's child."""
    try:
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass


class Process:
    """A process whose output is read all the time.

    Raises:
        OSError: it could not be started.
    """

    def __init__(
        self, words: list[str], environment: dict[str, str], workdir: str | None, patterns: Iterable[str] = ()
    ) -> None:
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=workdir,
            start_new_session=True,
        )
        _OWN.add(self._process.pid)
        assert self._process.stdout
        self.output = Output(self._process.stdout.fileno(), patterns)
        _offer_to_the_memory_killer(self._process.pid)

    def ended(self) -> bool:
        return self._process.poll() is not None

    def wait(self, seconds: float) -> bool:
        """Whether it ended in time."""
        try:
            self._process.wait(max(seconds, 0))
        except subprocess.TimeoutExpired:
            return False
        return True

    def status(self) -> dict[str, int]:
        code = self._process.returncode
        if code is None:
            return {}
        return {"signal": -code} if code < 0 else {"exit_code": code}

    def how_it_ended(self) -> str:
        code = self._process.returncode
        if code is not None and code < 0:
            return "was ended by " + _signal_name(-code)
        return f"ended with status {code}"

    def end(self) -> bool:
        """TERM, then KILL, to the whole group. Whether TERM was enough for the program itself."""
        obeyed = True
        if self._tell(signal.SIGTERM):
            obeyed = self.wait(PATIENCE)
            deadline = time.monotonic() + (PATIENCE if obeyed else 0)
            while self._tell(0) and time.monotonic() < deadline:
                _reap()
                time.sleep(_POLL)
            self._tell(signal.SIGKILL)
        self.wait(PATIENCE)
        self.output.settle()
        return obeyed

    def _tell(self, number: int) -> bool:
        """Whether there is still somebody in the group to tell."""
        try:
            os.killpg(self._process.pid, number)
        except OSError:
            return False
        return True


def end_leftovers(patience: float) -> list[str]:
    """Command lines of what is still there after `patience`, ended now. Call it when all own processes have ended."""
    deadline = time.monotonic() + patience
    while _descendants() and time.monotonic() < deadline:
        _reap()
        time.sleep(_POLL)
    found = _descendants()
    told = [_command_line(pid) for pid in found]
    deadline = time.monotonic() + PATIENCE
    while found and time.monotonic() < deadline:
        for pid in found:
            _kill(pid)
        _reap()
        time.sleep(_POLL)
        found = _descendants()
    return told[:_SHOWN]


def memory_kills() -> int:
    """How many processes the kernel ended in this container because its memory was full; cgroup v2 and v1."""
    for file in ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"):
        try:
            with open(file, encoding="ascii") as stream:
                words = stream.read().split()
        except (OSError, ValueError):
            continue
        if "oom_kill" in words[:-1]:
            return int(words[words.index("oom_kill") + 1])
    return 0


def _offer_to_the_memory_killer(pid: int) -> None:
    """Before this process, which has to tell of it."""
    try:
        with open(f"/proc/{pid}/oom_score_adj", "w", encoding="ascii") as stream:
            stream.write("1000")
    except OSError:
        pass


def _reap() -> None:
    """Collect the ends of adopted processes; those of own ones are subprocess's."""
    for pid, (ppid, state) in _processes().items():
        if ppid == os.getpid() and state == "Z" and pid not in _OWN:
            try:
                os.waitpid(pid, os.WNOHANG)
            except OSError:
                pass


def _descendants() -> list[int]:
    """All living processes below this one."""
    processes = _processes()
    below = {os.getpid()}
    grown = True
    while grown:
        more = {pid for pid, (ppid, _) in processes.items() if ppid in below} - below
        below |= more
        grown = bool(more)
    return sorted(pid for pid in below - {os.getpid()} if processes[pid][1] != "Z")


def _processes() -> dict[int, tuple[int, str]]:
    """Each process's parent and state: proc(5), /proc/pid/stat."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as stream:
                    state, ppid = stream.read().rpartition(b")")[2].split()[:2]
            except (OSError, ValueError):
                continue
            found[int(name)] = (int(ppid), state.decode("ascii", "replace"))
    return found


def _command_line(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as stream:
            words = stream.read(4096).split(b"\0")
    except OSError:
        return f"process {pid}"
    return b" ".join(words).decode("utf-8", "replace").strip()[:300] or f"process {pid}"


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"

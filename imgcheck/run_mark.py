"""Which run made a thing, told by a mark in its name or label alone; and whether that run is over.

Of a run of this machine it is known exactly. Runs of other machines may share an engine or a folder with this one:
of those only the age is known, so they are given time.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

PATIENCE: Final = 24 * 3600.0
"""Seconds after which a run of another machine counts as over."""
PATTERN: Final = r"[0-9a-f]{8}\.\d{1,10}\.\d{1,20}\.\d{1,12}"
_GONE: Final = frozenset("ZXx")
"""States in /proc of a process that ended and was not waited for (proc_pid_stat(5))."""


@dataclass(frozen=True)
class RunMark:
    """A run. `machine` is a boot of a machine and a process namespace of it: a pid means something only there.

    Args:
        machine: where it runs.
        pid: its process.
        ticks: when that process started, in clock ticks since the boot; 0 where the system does not tell.
        begun: the same in seconds since the epoch, for those who know no more.
    """

    machine: str
    pid: int
    ticks: int
    begun: int

    def __str__(self) -> str:
        return f"{self.machine}.{self.pid}.{self.ticks}.{self.begun}"

    def is_over(self, now: float, patience: float = PATIENCE) -> bool:
        """Whether nothing of it can be in use any more.

        Args:
            now: seconds since the epoch.
            patience: how long a run of another machine may take.
        """
        if self.machine == _machine():
            return not _lives(self)
        return now - self.begun > patience


def parse_mark(text: str) -> RunMark | None:
    """What `str` made of a mark; None for anything else."""
    if not re.fullmatch(PATTERN, text):
        return None
    machine, *numbers = text.split(".")
    return RunMark(machine, *map(int, numbers))


@cache
def this_run() -> RunMark:
    started = _started(os.getpid())
    return RunMark(_machine(), os.getpid(), started[1] if started else 0, int(time.time()))


@cache
def _machine() -> str:
    told = [platform.node()]
    try:
        told += [Path("/proc/sys/kernel/random/boot_id").read_text("ascii"), str(Path("/proc/self/ns/pid").readlink())]
    except OSError:
        told.append(str(uuid.getnode()))
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:8]


def _lives(mark: RunMark) -> bool:
    """Whether that very process is there, and not another one that got its number."""
    try:
        os.kill(mark.pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is another user's, and may be hidden in /proc
        pass
    found = _started(mark.pid)
    if found is None or not mark.ticks:
        return True
    state, ticks = found
    return state not in _GONE and ticks == mark.ticks


def _started(pid: int) -> tuple[str, int] | None:
    """State and start of a process, where the system tells. Its name, before the last ")", may hold anything."""
    with suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return fields[0].decode("ascii"), int(fields[19])
    return None

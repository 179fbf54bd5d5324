"""What /proc tells of processes; None or nothing where a process is gone or the kernel does not tell."""

from __future__ import annotations

import os
from typing import NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Status(NamedTuple):
    """Of one process: state letter, parent, session, CPU seconds, resident bytes."""

    state: str
    parent: int
    session: int
    cpu: float
    memory: int


def status(process: int) -> Status | None:
    """See proc_pid_stat(5)."""
    text = _read(f"/proc/{process}/stat")
    if not text:
        return None
    fields = text[text.rindex(b")") + 2 :].split()
    cpu = (int(fields[11]) + int(fields[12])) / _TICKS
    return Status(fields[0].decode("ascii"), int(fields[1]), int(fields[3]), cpu, int(fields[21]) * _PAGE)


def queued(process: int) -> float:
    """Seconds that a process was ready to run and had no processor."""
    fields = _read(f"/proc/{process}/schedstat").split()
    return int(fields[1]) / 1e9 if len(fields) > 1 else 0.0


def name(process: int) -> str:
    """The command line, shortened."""
    text = _read(f"/proc/{process}/cmdline").replace(b"\0", b" ").strip()
    return text[:200].decode("utf-8", "replace")


def proportional(process: int) -> int:
    """Bytes of memory, shared pages counted once among those who share them."""
    for line in _read(f"/proc/{process}/smaps_rollup").splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    found = status(process)
    return found.memory if found else 0


def children(process: int | None = None) -> set[int]:
    """The processes whose parent a process is, this one by default; none where it is gone."""
    process = process or os.getpid()
    tasks = f"/proc/{process}/task"
    found: set[int] = set()
    for thread in _listed(tasks):
        path = f"{tasks}/{thread}/children"
        text = _read(path)
        if not text and not os.path.exists(path) and os.path.exists(f"{tasks}/{thread}"):
            return _children_by_search(process)
        found.update(int(one) for one in text.split())
    return found


def _children_by_search(parent: int) -> set[int]:
    """For kernels without CONFIG_PROC_CHILDREN."""
    found = set()
    for process in os.listdir("/proc"):
        if process.isdigit():
            one = status(int(process))
            if one and one.parent == parent:
                found.add(int(process))
    return found


def out_of_memory_kills() -> int:
    """How often the kernel ended a process of this container for want of memory (cgroup v2, v1)."""
    for path in ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"):
        for line in _read(path).splitlines():
            if line.startswith(b"oom_kill "):
                return int(line.split()[1])
    return 0


def _listed(path: str) -> list[str]:
    try:
        return os.listdir(path)
    except OSError:  # gone meanwhile
        return []


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:  # gone meanwhile
        return b""

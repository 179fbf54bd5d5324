"""Facts on the interpreter that the image's programs get, told by a fresh one: site, .pth files and all."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from typing import Any, Callable

by_files: Callable[[str], dict[str, Any]] | None = None
"""Tells it in place of a fresh interpreter, where none can be started."""

# They run in the fresh interpreter, which answers on a pipe of its own: sitecustomize may print.
_PATH = """
import sys
path = [entry for entry in sys.path if entry]
import json, os
from importlib.machinery import EXTENSION_SUFFIXES
answer = {"prefix": sys.prefix, "path": path, "extension_suffixes": EXTENSION_SUFFIXES}
"""
_ALL = """
import platform, sysconfig
version = "{0.major}.{0.minor}.{0.micro}".format(sys.implementation.version)
kind = sys.implementation.version.releaselevel
if kind != "final":
    version += kind[0] + str(sys.implementation.version.serial)
answer.update({
    "executable": sys.executable or "",
    "version": platform.python_version(),
    "implementation": sys.implementation.name,
    "base_prefix": sys.base_prefix,
    "markers": {
        "implementation_name": sys.implementation.name,
        "implementation_version": version,
        "os_name": os.name,
        "platform_machine": platform.machine(),
        "platform_release": platform.release(),
        "platform_system": platform.system(),
        "platform_version": platform.version(),
        "python_full_version": platform.python_version(),
        "platform_python_implementation": platform.python_implementation(),
        "python_version": ".".join(platform.python_version_tuple()[:2]),
        "sys_platform": sys.platform,
    },
    "platform": sysconfig.get_platform(),
    "stdlib": sorted(getattr(sys, "stdlib_module_names", sys.builtin_module_names)),
    "stdlib_path": sysconfig.get_path("stdlib") or "",
    "uid": os.getuid(),
    "gid": os.getgid(),
})
"""
_ANSWER = """
with os.fdopen(int(sys.argv[1]), "w") as pipe:
    json.dump(answer, pipe)
    pipe.write("\\n")
"""
_SECONDS = 60
_SECONDS_TO_END = 5
_LIMIT = 1 << 22
_TAIL = 1 << 16


def search_path(python: str) -> dict[str, Any]:
    """Of `interpreter_facts` only prefix, path and extension_suffixes. Raises as it does."""
    if by_files:
        return by_files(python)
    return _asked(python, _PATH + _ANSWER)


def interpreter_facts(python: str) -> dict[str, Any]:
    """What a fresh `python` says of itself. Raises RuntimeError where it does not start."""
    if by_files:
        return by_files(python)
    facts = _asked(python, _PATH + _ALL + _ANSWER)
    folder = facts.pop("stdlib_path")
    if not hasattr(sys, "stdlib_module_names"):  # older than 3.10
        facts["stdlib"] = sorted(set(facts["stdlib"]) | _stdlib_of(folder))
    return facts


def _asked(python: str, question: str) -> dict[str, Any]:
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [python, "-c", question, str(writing)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        pass_fds=(writing,),
        start_new_session=True,
    )
    os.close(writing)
    assert process.stderr is not None
    try:
        answer, told = _heard(reading, process.stderr.fileno())
        status = _end(process)
    finally:
        os.close(reading)
        process.stderr.close()
    error = told.decode("utf-8", "replace").strip()
    try:
        facts: dict[str, Any] = json.loads(answer)
    except (ValueError, RecursionError):
        ended = f"ended with status {status}" if status is not None else f"did not answer within {_SECONDS} seconds"
        raise RuntimeError(f"a fresh {python} {ended}: {error[-2000:]}") from None
    return facts


def _heard(answers: int, errors: int) -> tuple[bytes, bytes]:
    """The answer, up to the end of its line, and the last that came on standard error meanwhile.

    What site files start may hold both open, write without end, or hang.
    """
    answer, told = b"", b""
    until = time.monotonic() + _SECONDS
    waiting = [answers, errors]
    while answers in waiting and not answer.endswith(b"\n") and len(answer) < _LIMIT:
        ready = select.select(waiting, [], [], max(0.0, until - time.monotonic()))[0]
        if not ready:
            break
        for one in ready:
            data = os.read(one, 1 << 16)
            if not data:
                waiting.remove(one)
            elif one == answers:
                answer += data
            else:
                told = (told + data)[-_TAIL:]
    return answer, told


def _end(process: subprocess.Popen[bytes]) -> int | None:
    """Its exit status; None where it had to be ended. What it left running in its session is ended too."""
    try:
        status: int | None = process.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        status = None
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass
    process.wait()
    return status


def _stdlib_of(folder: str) -> set[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return set()
    return {name.split(".")[0] for name in names if name.endswith(".py") or "." not in name} - {"site-packages"}

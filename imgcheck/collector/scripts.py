"""Scripts on PATH and the image's own command: which interpreter their first line names, and whether it is there.

Sources: execve(2) on interpreter scripts and on programs; distlib's form for long paths, "#!/bin/sh" with
"'''exec' PYTHON" below.
Floor: Python 3.8.
"""

from __future__ import annotations

import os
import re
from typing import Any, Dict, Iterable, Iterator, Sequence

from imgcheck.collector.access import is_missing
from imgcheck.collector.executables import why_not_started
from imgcheck.collector.native_elf import MAGIC

_START = 512
_MOST_LINKS = 40  # as the kernel follows (path_resolution(7))
_EXEC = re.compile(rb"\A#!\s*/bin/sh\s*\n'''exec'\s+(\"[^\"]+\"|\S+)")
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*\Z")

Facts = Dict[str, Any]


def scripts_on_path() -> Iterator[Facts]:
    """Python's scripts in the folders of PATH, and links that lead nowhere."""
    seen: set[str] = set()
    for folder in _path():
        real = os.path.realpath(folder)
        if real in seen:
            continue
        seen.add(real)
        for path in _files(folder):
            found = _dangling(path) or script_facts(path)
            if found and (found["state"] == "dangling" or _PYTHON.search(found["interpreter"])):
                yield found


def command_facts(command: Sequence[str]) -> Facts | None:
    """The first word of a command: the file that is executed, and what its first line names."""
    if not command:
        return None
    word = command[0]
    path = word if "/" in word else find_on_path(word)
    if not path or not os.path.exists(path):
        candidates = [word] if "/" in word else [os.path.join(folder, word) for folder in _path()]
        return next(filter(None, map(_dangling, candidates)), None) or _facts(word, "", "absent", "")
    if not os.access(path, os.X_OK):
        return _facts(path, "", "not-executable", "")
    return script_facts(path) or _program(path)


def _program(path: str) -> Facts:
    """A file without a first line that names an interpreter: it must be a program of this machine."""
    found = why_not_started(path)
    if found:
        return _facts(path, path, *found)
    start = _read(path)
    return _facts(path, "", "unknown-format" if start and not start.startswith(MAGIC) else "fine", "")


def script_facts(path: str) -> Facts | None:
    """None for what is no script."""
    start = _read(path)
    if not start.startswith(b"#!"):
        return None
    wrapped = _EXEC.match(start)
    if wrapped:
        interpreter = wrapped.group(1).strip(b'"').decode("utf-8", "surrogateescape")
        return _facts(path, *_found(interpreter))
    line = start.split(b"\n", 1)[0][2:].decode("utf-8", "surrogateescape")
    words = line.split()
    if line.endswith("\r"):
        return _facts(path, words[0] if words else "", "carriage-return", "")
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word] or words
    return _facts(path, *_found(words[0])) if words else None


def _found(interpreter: str) -> tuple[str, str, str]:
    """The interpreter, the state, and where the one was found or what the other is about."""
    path = interpreter if "/" in interpreter else find_on_path(interpreter)
    if not path or not os.path.exists(path):
        link = path or interpreter
        return interpreter, "interpreter-absent", os.path.realpath(link) if os.path.islink(link) else ""
    if not os.access(path, os.X_OK):
        return interpreter, "interpreter-not-executable", path
    return (interpreter, *(why_not_started(path) or ("fine", path)))


def _dangling(path: str) -> Facts | None:
    """A link that leads nowhere, told with the last link of the way; what this user may not look at leads somewhere."""
    if not os.path.islink(path) or not is_missing(path):
        return None
    target, last = os.path.realpath(path), path
    for _ in range(_MOST_LINKS):
        following = os.path.join(os.path.dirname(last), os.readlink(last))
        if not os.path.islink(following):
            break
        last = following
    return _facts(path, os.path.normpath(last), "dangling", target)


def find_on_path(name: str) -> str:
    """As a shell finds a command; empty where it does not."""
    for folder in _path():
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return ""


def _path() -> Iterable[str]:
    return [folder for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if folder]


def _files(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    except OSError:
        return []


def _read(path: str) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return b""
    try:
        return os.read(descriptor, _START)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _facts(path: str, interpreter: str, state: str, target: str) -> Facts:
    return {"path": path, "interpreter": interpreter, "state": state, "target": target}

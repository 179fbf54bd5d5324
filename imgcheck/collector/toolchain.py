"""What is there for code that is compiled while a program runs: compilers, headers, caches, the user's name.

Compilers are tried on a few lines, as those who use them do, because one that is there may lack headers or a linker.
All is told as the cluster runs the image: its user, its environment, its read-only mounts.
Floor: Python 3.8.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sysconfig
from typing import Any, Dict, Sequence

_C = "#include <Python.h>\nint one(void) { return 1; }\n"
_CXX = "#include <Python.h>\n#include <vector>\nint one() { return static_cast<int>(std::vector<int>(1).size()); }\n"
_SECONDS = 60
_NAMES = ("LOGNAME", "USER", "LNAME", "USERNAME")  # in getpass.getuser's order

Facts = Dict[str, Any]


def toolchain(scratch: str) -> Facts:
    """Each compiler as {"path", "error"}; other programs by path; each cache folder as {"path", "writable"}."""
    name = _user()
    home = os.path.expanduser("~")
    temporary = os.environ.get("TMPDIR") or "/tmp"  # noqa: S108 - where torch puts it, looked at and not used
    caches = {
        "triton": os.environ.get("TRITON_CACHE_DIR") or os.path.join(home, ".triton"),
        "inductor": os.environ.get("TORCHINDUCTOR_CACHE_DIR") or os.path.join(temporary, "torchinductor_" + name),
        "extensions": os.environ.get("TORCH_EXTENSIONS_DIR") or os.path.join(home, ".cache", "torch_extensions"),
    }
    return {
        "c": _tried("CC", ("gcc", "clang", "cc"), "one.c", _C, scratch),
        "cxx": _tried("CXX", ("g++", "clang++", "c++"), "one.cpp", _CXX, scratch),
        "programs": dict({one: shutil.which(one) or "" for one in ("nvcc", "ninja", "ldconfig")}, **_elsewhere()),
        "user": name,
        "uid": os.getuid(),
        "caches": {key: {"path": path, "writable": _can_write(path)} for key, path in caches.items()},
    }


def _elsewhere() -> dict[str, str]:
    """Programs that are called by their full path, or found through a variable."""
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
    places = {"nvcc": os.path.join(home, "bin", "nvcc"), "ldconfig": "/sbin/ldconfig"}
    return {name: path for name, path in places.items() if not shutil.which(name) and os.access(path, os.X_OK)}


def _tried(variable: str, names: Sequence[str], file: str, source: str, scratch: str) -> Facts:
    """The compiler that is taken, and why it does not make a Python extension of a few lines."""
    path = os.environ.get(variable) or next(filter(None, map(shutil.which, names)), "")
    if not path:
        return {"path": "", "error": ""}
    place = os.path.join(scratch, file)
    try:
        with open(place, "w", encoding="utf-8") as stream:
            stream.write(source)
        command = [*path.split(), "-shared", "-fPIC", "-I" + sysconfig.get_path("include"), place, "-o", place + ".so"]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False, cwd=scratch
        )
    except (OSError, subprocess.SubprocessError) as error:
        return {"path": path, "error": str(error)[-2000:]}
    words = done.stderr.decode("utf-8", "replace").strip()
    return {"path": path, "error": (words or f"status {done.returncode}")[-2000:] if done.returncode else ""}


def _user() -> str:
    """What getpass.getuser says; empty where it raises: no variable names the user, nor does passwd."""
    named = next(filter(None, map(os.environ.get, _NAMES)), None)
    if named:
        return named
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return ""


def _can_write(path: str) -> bool:
    """Into the folder, or into the nearest one above it that is there."""
    while not os.path.isdir(path) and os.path.dirname(path) != path:
        if os.path.exists(path):
            return False
        path = os.path.dirname(path)
    return os.access(path, os.W_OK | os.X_OK)

"""Facts on the interpreter that the image's programs get, told by a fresh one: site, .pth files and all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
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
"""


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
    )
    os.close(writing)
    with os.fdopen(reading) as pipe:
        answer = pipe.read(1 << 22)
    error = process.communicate()[1].decode("utf-8", "replace").strip()
    try:
        facts: dict[str, Any] = json.loads(answer)
    except ValueError:
        raise RuntimeError(f"a fresh {python} ended with status {process.returncode}: {error[-2000:]}") from None
    return facts


def _stdlib_of(folder: str) -> set[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return set()
    return {name.split(".")[0] for name in names if name.endswith(".py") or "." not in name} - {"site-packages"}

"""What an engine would say of an image, told of the environment that this runs in; secrets among variables left out.

Floor: Python 3.8.
"""

from __future__ import annotations

import os
import re
from typing import Any, Dict, Mapping

MASK = "***"
_SPEAKS = re.compile(
    r"passw|passphrase|secret|token(?!iz)|credential|api_?key|private_?key|access_?key|signature|cookie|auth(?!or)"
    r"|(?:^|_)(?:pass|pwd|key|pat|sig)$",
    re.IGNORECASE,
)
_PLACE = re.compile(r"(?:_|^)(?:DIR|FOLDER|PATH|FILE|HOME|ROOT|CACHE|CREDENTIALS|SOCK)$")
_IN_ADDRESS = re.compile(r"(?<=://)[^/\s@]+(?=@)")

Facts = Dict[str, Any]


def environment() -> Facts:
    """{"os", "machine", "release", "workdir", "env"}."""
    system = os.uname()
    return {
        "os": system.sysname.lower(),
        "machine": system.machine,
        "release": _release(),
        "workdir": os.getcwd(),
        "env": ["=".join(pair) for pair in shown_variables(os.environ)],
    }


def shown_variables(variables: Mapping[str, str]) -> list[tuple[str, str]]:
    """In order; the value of a name that speaks of a secret is left out, unless it is a place."""
    return sorted((name, _shown(name, value)) for name, value in variables.items())


def _shown(name: str, value: str) -> str:
    if value and _SPEAKS.search(name) and not (value.startswith("/") and _PLACE.search(name)):
        return value if value.isdigit() and len(value) < 4 else MASK
    return _IN_ADDRESS.sub(MASK, value)


def _release() -> str:
    """The distribution's own name for itself (os-release(5))."""
    for path in ("/etc/os-release", "/usr/lib/os-release"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                lines = file.read(1 << 16).split("\n")
        except OSError:
            continue
        return next((line[12:].strip().strip('"') for line in lines if line.startswith("PRETTY_NAME=")), "")
    return ""

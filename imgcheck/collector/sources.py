"""Sources of modules, read as far as a module's source can sensibly go. Floor: Python 3.8."""

from __future__ import annotations

_LARGEST = 1 << 21


def read_source(path: str) -> bytes | None:
    """None where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(_LARGEST)
    except OSError:
        return None

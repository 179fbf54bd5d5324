"""Whether something is there, asked by a name that somebody wrote, which may be none that anything can have."""

from __future__ import annotations

from pathlib import Path


def is_file(path: Path) -> bool:
    """Pathlib's own raises for names that are too long and for folders that may not be read."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """As `is_file`."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False

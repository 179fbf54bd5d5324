"""A lock is replaced whole, or is as it was."""

from __future__ import annotations

from pathlib import Path

from imgcheck import drafts
from imgcheck.errors import UsageError


def write_whole(path: Path, content: str | bytes) -> None:
    """A file is replaced whole, or is as it was.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        drafts.write_whole(path, content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None

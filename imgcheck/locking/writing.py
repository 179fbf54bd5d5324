"""A file is replaced whole, or is as it was."""

from __future__ import annotations

import secrets
from pathlib import Path

from imgcheck.errors import UsageError


def write_whole(path: Path, content: str | bytes) -> None:
    """A file is replaced whole, or is as it was.

    Raises:
        UsageError: it cannot be written.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        draft.write_bytes(content.encode() if isinstance(content, str) else content)
        draft.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    finally:
        draft.unlink(missing_ok=True)

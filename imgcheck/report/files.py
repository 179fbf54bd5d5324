"""Where a report goes: `json=out.json`, or `json=-` for stdout. A file is whole or not there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from imgcheck.drafts import write_whole
from imgcheck.errors import UsageError
from imgcheck.report import RENDERERS


@dataclass(frozen=True, kw_only=True)
class Destination:
    """A format, and the file to write it to; None is stdout."""

    format: str
    path: Path | None = None


def parse_destination(text: str) -> Destination:
    """Reads `FORMAT=PATH`; `FORMAT` alone, and `FORMAT=-`, mean stdout.

    Raises:
        UsageError: there is no such format, or the path is empty.
    """
    name, equals, path = text.partition("=")
    if name not in RENDERERS:
        close = get_close_matches(name, RENDERERS, n=1)
        hint = f"Did you mean {close[0]}?" if close else "Write it as FORMAT=PATH, such as json=report.json."
        raise UsageError(f"{name!r} is no report format; there are {', '.join(RENDERERS)}", remedy=hint)
    if equals and not path:
        raise UsageError(f"{text!r} names no file", remedy=f"Write {name}=PATH, or {name}=- for stdout.")
    return Destination(format=name, path=None if path in {"", "-"} else Path(path))


def check_destination(destination: Destination) -> None:
    """Refuse a file that could not be written, before anything is built or collected for it.

    Raises:
        UsageError: its folder does not exist or cannot be written to, or the path is a folder.
    """
    path = destination.path
    if path is None:
        return
    if path.is_dir():
        raise UsageError(f"the report file {path} is a folder", remedy="Name a file inside it.")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise UsageError(f"the folder of the report file {path} does not exist", remedy=f"Make it: mkdir -p {folder}")
    if not os.access(path if path.exists() and not path.is_file() else folder, os.W_OK):
        raise UsageError(f"the report file {path} cannot be written", remedy=f"Give write access to {folder}.")


def write_report(text: str, path: Path) -> None:
    """Writes beside the file and renames, so that no reader ever sees half a report.

    Raises:
        OSError: the disk is full, or the folder is gone since `check_destination`.
    """
    write_whole(path, text.encode())

"""Who says that a file is his: a distribution by its RECORD or installed-files.txt, or a package (files_packages.py).

Source: "Recording installed projects" (packaging.python.org).
Floor: Python 3.8.
"""

from __future__ import annotations

import binascii
import csv
import io
import os
from typing import Any, Dict, NamedTuple

_LARGEST = 1 << 26
_URL_SAFE = str.maketrans("-_", "+/")
_CACHE = "__pycache__/"

Facts = Dict[str, Any]


class Row(NamedTuple):
    """A file as its owner lists it. `digest` is hexadecimal, "" where none is told; `size` is -1 then."""

    path: str
    algorithm: str
    digest: str
    size: int


class Owner(NamedTuple):
    """One list of files. `metadata` is the distribution's folder, or the file in which a package manager lists."""

    kind: str
    name: str
    version: str
    location: str
    metadata: str
    rows: list[Row]


def distribution_owner(distribution: Facts) -> Owner | None:
    """A distribution by its own list; None where it has none."""
    location, metadata, files = (
        distribution["location"].rstrip("/"),
        distribution["metadata_path"],
        distribution["files"],
    )
    if files is None:
        return None
    if distribution["kind"] == "dist-info":
        kind, rows = "record", _recorded(location, metadata)
    else:
        kind, rows = "installed-files", [Row(os.path.join(location, one), "", "", -1) for one in files]
    return Owner(kind, distribution["name"], distribution["version"], location, metadata, rows)


def _recorded(location: str, metadata: str) -> list[Row]:
    try:
        return [
            _row(location, row)
            for row in csv.reader(io.StringIO(read_text(os.path.join(metadata, "RECORD"))))
            if row and _CACHE not in row[0]  # Python writes those anew
        ]
    except csv.Error:
        return []


def _row(location: str, row: list[str]) -> Row:
    path = row[0]
    full = path if path.startswith("/") else location + "/" + path
    if "./" in path or "//" in path:
        full = os.path.normpath(full)
        full = _in_target(location, path, full)
    algorithm, _, encoded = (row[1] if len(row) > 1 else "").partition("=")
    size = row[2] if len(row) > 2 else ""
    return Row(full, algorithm, _hexadecimal(encoded), int(size) if size.isascii() and size.isdigit() else -1)


def _in_target(location: str, path: str, full: str) -> str:
    """`pip install --target` puts scripts and data below the target, and RECORD still tells of two folders above it."""
    if path.startswith("../") and not os.path.lexists(full):
        inside = os.path.join(location, path.replace("../", ""))
        return inside if os.path.lexists(inside) else full
    return full


def _hexadecimal(encoded: str) -> str:
    """URL-safe base64 without its padding (PEP 376, PEP 427)."""
    try:
        return binascii.a2b_base64(encoded.translate(_URL_SAFE) + "==").hex()
    except (binascii.Error, ValueError):
        return ""


def read_text(file: str) -> str:
    """A list's text, as long as it is of a sensible length; empty where it cannot be read."""
    try:
        with open(file, encoding="utf-8", errors="surrogateescape", newline="") as stream:
            return stream.read(_LARGEST)
    except OSError:
        return ""

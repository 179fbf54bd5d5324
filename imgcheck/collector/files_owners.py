"""Who says that a file is his: a distribution by its RECORD or installed-files.txt, or a package (files_packages.py).

Source: "Recording installed projects" (packaging.python.org).
Floor: Python 3.8.
"""

from __future__ import annotations

import binascii
import os
from typing import Any, Dict, Iterable, NamedTuple

from imgcheck.collector.distributions import installed_files, record_rows

_LARGEST = 1 << 26
_URL_SAFE = str.maketrans("-_", "+/")
_CACHE = "__pycache__/"
_WRITTEN_ANEW = ("RECORD", "RECORD.jws", "RECORD.p7s", "INSTALLER", "REQUESTED", "direct_url.json")

Facts = Dict[str, Any]


class Row(NamedTuple):
    """A file as its owner lists it.

    `told` is the hash as the list has it: "sha256=" and URL-safe base64 (RECORD), or "md5:" and hexadecimal digits;
    empty where none is told. `size` is -1 where none is.
    """

    path: str
    told: str
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
    location, metadata = distribution["location"].rstrip("/"), distribution["metadata_path"]
    if distribution["kind"] == "dist-info":
        kind, recorded = "record", record_rows(metadata, without=_CACHE)
    else:
        kind, files = "installed-files", installed_files(metadata)
        recorded = None if files is None else [[file] for file in files]
    if recorded is None:
        return None
    rows = _rows(location, metadata, recorded)
    return Owner(kind, distribution["name"], distribution["version"], location, metadata, rows)


def _rows(location: str, metadata: str, recorded: Iterable[list[str]]) -> list[Row]:
    """Without bytecode of sources, which Python writes anew, and what installers write without a hash, or change."""
    own = {metadata + "/" + name for name in _WRITTEN_ANEW}
    start = location + "/"
    rows: dict[str, Row] = {}  # a RECORD may name a file twice
    for row in recorded:
        path = row[0]
        if "./" in path or "//" in path or path[0] == "/":
            full = _in_target(location, path, os.path.normpath(os.path.join(location, path)))
        else:
            full = start + path
        if full not in own:
            rows[full] = Row(full, row[1], _number(row[2])) if len(row) > 2 else Row(full, "", -1)
    return without_bytecode(list(rows.values()))


def without_bytecode(rows: list[Row]) -> list[Row]:
    """Python writes it anew; what comes without a source stays."""
    if not any(row.path.endswith(".pyc") for row in rows):
        return rows
    sources = {row.path for row in rows if row.path.endswith(".py")}
    kept = (row for row in rows if _CACHE not in row.path)
    return [row for row in kept if not row.path.endswith(".pyc") or row.path[:-1] not in sources]


def _number(text: str) -> int:
    try:
        return int(text) if text else -1
    except ValueError:
        return -1


def _in_target(location: str, path: str, full: str) -> str:
    """`pip install --target` puts scripts and data below the target, and RECORD still tells of two folders above it."""
    if path.startswith("../") and not os.path.lexists(full):
        inside = os.path.join(location, path.replace("../", ""))
        return inside if os.path.lexists(inside) else full
    return full


def digest_told(told: str) -> tuple[str, str]:
    """Algorithm and hexadecimal digest of Row.told; empty where none is told, or it cannot be read."""
    algorithm, _, digits = told.partition(":")
    if digits:
        return algorithm, digits
    algorithm, _, encoded = told.partition("=")
    try:  # without its padding (PEP 376, PEP 427)
        return algorithm, binascii.a2b_base64(encoded.translate(_URL_SAFE) + "==").hex()
    except (binascii.Error, ValueError):
        return algorithm, ""


def shown(path: str, owner: Owner) -> str:
    """The path below the owner's location, or as it is."""
    start = owner.location + "/"
    return path[len(start) :] if owner.location and path.startswith(start) else path


def read_text(file: str) -> str:
    """A list's text, as long as it is of a sensible length; empty where it cannot be read."""
    try:
        with open(file, encoding="utf-8", errors="surrogateescape", newline="") as stream:
            return stream.read(_LARGEST)
    except OSError:
        return ""

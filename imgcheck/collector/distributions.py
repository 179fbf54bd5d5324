"""Distributions as their metadata on disk tells them (PyPA core metadata, recording installed projects)."""

from __future__ import annotations

import configparser
import csv
import hashlib
import io
import os
import re
from typing import Any, Iterable

_HEADERS = {
    "name": "name",
    "version": "version",
    "requires-dist": "requires_dist",
    "requires-python": "requires_python",
    "provides-extra": "provides_extra",
    "classifier": "python_classifiers",
}
_MANY = ("requires_dist", "provides_extra", "python_classifiers")
_FOR_PYTHON = re.compile(r"Programming Language :: Python :: (\d+\.\d+)")
_ADDED = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json", "uv_build.json")
_TEXT_LIMIT = 1 << 24
EGG_INFO = "EGG-INFO"


def find_distributions(path: Iterable[str], *, whole: bool = True) -> list[dict[str, Any]]:
    """Every distribution on a sys.path, in its order; the first of a name is the one that wins.

    Args:
        path: the folders.
        whole: with what the installer wrote beside METADATA; else "files" and all that comes with them are empty.
    """
    return [_read(folder, name, whole=whole) for folder in path for name in _metadata_names(folder)]


def _metadata_names(folder: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except (OSError, ValueError):  # a zip file, or not there
        return []
    if folder.endswith(".egg"):  # of `setup.py install`: a folder of its own on sys.path
        return [EGG_INFO] if EGG_INFO in names else []
    kept = (name for name in names if not name.startswith("~"))  # what pip was removing; it passes over those as well
    return sorted(name for name in kept if name.endswith((".dist-info", ".egg-info", ".egg-link")))


def _read(folder: str, name: str, *, whole: bool) -> dict[str, Any]:
    path = os.path.join(folder, name)
    facts: dict[str, Any] = {
        "name": name.rsplit(".", 1)[0].split("-", maxsplit=1)[0],
        "version": "",
        "location": folder,
        "metadata_path": path,
        "kind": "egg-info" if name == EGG_INFO else name.rsplit(".", 1)[1],
        "requires_dist": [],
        "python_classifiers": [],
        "provides_extra": [],
        "top_level": [],
        "entry_points": [],
        "files": None,
        "problem": "",
    }
    if facts["kind"] == "egg-link":
        facts["direct_url"] = _text(path).strip().split("\n")[0]
        return facts
    try:
        facts.update(_metadata(path))
    except OSError as error:
        facts["problem"] = f"its metadata cannot be read: {error.strerror or error}"
        return facts
    if facts["kind"] == "egg-info" and not facts["requires_dist"]:
        facts["requires_dist"] = _requirements(path)
    if not facts["version"]:
        facts["problem"] = "its metadata names no version"
    if whole:
        facts.update(_installed(path, facts["kind"]))
    return facts


def _metadata(path: str) -> dict[str, Any]:
    """The headers that matter, of METADATA or PKG-INFO; egg-info may be a single file."""
    for name in ("METADATA", "PKG-INFO", ""):
        file = os.path.join(path, name) if name else path
        if os.path.isfile(file):
            with open(file, encoding="utf-8", errors="surrogateescape") as stream:
                return headers_of(stream)
    raise FileNotFoundError(2, "no METADATA and no PKG-INFO")


def headers_of(lines: Iterable[str]) -> dict[str, Any]:
    """Headers up to the first empty line (RFC 822 form); continuation lines belong to the one above."""
    facts: dict[str, Any] = {key: [] for key in _MANY}
    key: str | None = None
    for line in lines:
        if not line.strip("\r\n"):
            break
        if line[0] in " \t":  # of a licence's text, perhaps, whose empty lines are folded as well
            if key and key in _MANY:
                facts[key][-1] += " " + line.strip()
            continue
        head, _, value = line.partition(":")
        key = _HEADERS.get(head.strip().lower())
        if key and key in _MANY:
            facts[key].append(value.strip())
        elif key:
            facts[key] = value.strip()
    found = map(_FOR_PYTHON.fullmatch, facts["python_classifiers"])
    facts["python_classifiers"] = [one[1] for one in found if one]
    return facts


def _requirements(path: str) -> list[str]:
    """Of requires.txt, as Requires-Dist would have them: setuptools' form, with sections "[extra:marker]"."""
    found, marker = [], ""
    for line in map(str.strip, _text(os.path.join(path, "requires.txt")).split("\n")):
        if line.startswith("["):
            extra, _, condition = line.strip("[]").partition(":")
            parts = [f"({condition})"] if condition else []
            marker = " and ".join([*parts, f'extra == "{extra}"'] if extra else parts)
        elif line:
            found.append(f"{line} ; {marker}" if marker else line)
    return found


def _installed(path: str, kind: str) -> dict[str, Any]:
    """What the installer wrote beside the metadata."""
    if not os.path.isdir(path):
        return {"installer": ""}
    rows = record_rows(path) if kind == "dist-info" else None
    return {
        "installer": _text(os.path.join(path, "INSTALLER")).strip(),
        "requested": os.path.exists(os.path.join(path, "REQUESTED")),
        "direct_url": _text(os.path.join(path, "direct_url.json")).strip(),
        "top_level": _text(os.path.join(path, "top_level.txt")).split(),
        "wheel_tags": [
            line[4:].strip() for line in _text(os.path.join(path, "WHEEL")).split("\n") if line[:4].lower() == "tag:"
        ],
        "entry_points": entry_points_of(path),
        "files": installed_files(path) if kind != "dist-info" else None if rows is None else [row[0] for row in rows],
        "record_digest": "" if rows is None else rows_digest(rows),
        "installed_at": _time(path),
    }


def record_rows(metadata: str, *, without: str = "\n") -> list[list[str]] | None:
    """RECORD's rows: a path relative to the distribution's location, hash, size; None where there is no RECORD.

    It is CSV (PEP 376); lines without quotes, split at commas, are the same and come faster.

    Args:
        metadata: the distribution's .dist-info.
        without: rows that hold this text are left out.
    """
    try:
        return rows_of(_open(os.path.join(metadata, "RECORD")), without=without)
    except (OSError, csv.Error):
        return None


def rows_of(text: str, *, without: str = "\n") -> list[list[str]]:
    """As `record_rows`, of its text. Raises csv.Error."""
    if '"' in text:
        return [row for row in csv.reader(io.StringIO(text)) if row and without not in row[0]]
    return [line.split(",") for line in text.split("\n") if line and without not in line]


def rows_digest(rows: Iterable[list[str]]) -> str:
    """Of the rows for the wheel's own files: installers add their metadata, scripts and bytecode."""
    text = "\n".join(sorted(",".join(row) for row in rows if not _is_added(row[0])))
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _is_added(path: str) -> bool:
    folder, name = os.path.split(path)
    return path.startswith("../") or name.endswith(".pyc") or (folder.endswith(".dist-info") and name in _ADDED)


def installed_files(metadata: str) -> list[str] | None:
    """installed-files.txt is relative to the .egg-info folder itself; None where there is none.

    Of an egg that is a folder of its own, all that is in it.
    """
    if os.path.basename(metadata) == EGG_INFO:
        return _files_below(os.path.dirname(metadata))
    text = _text(os.path.join(metadata, "installed-files.txt"))
    folder = os.path.basename(metadata)
    return [os.path.normpath(os.path.join(folder, line)) for line in text.split("\n") if line] if text else None


def _files_below(root: str) -> list[str]:
    return [
        os.path.relpath(os.path.join(folder, name), root)
        for folder, _, names in os.walk(root)
        if os.path.basename(folder) != "__pycache__"
        for name in sorted(names)
    ]


def entry_points_of(metadata: str) -> list[dict[str, str]]:
    """Each as {"group", "name", "value"}."""
    text = _text(os.path.join(metadata, "entry_points.txt"))
    if not text:
        return []
    parser = configparser.ConfigParser(delimiters=("=",), strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[method-assign,assignment]  # the documented way to keep case
    try:
        parser.read_string(text)
    except configparser.Error:
        return []
    return [
        {"group": group, "name": name, "value": value or ""}
        for group in parser.sections()
        for name, value in parser.items(group)
    ]


def _time(path: str) -> int:
    """When the installer wrote: INSTALLER and RECORD carry it, wheels' own files may not."""
    times = [_mtime(os.path.join(path, name)) for name in ("INSTALLER", "RECORD", "METADATA")]
    return next((one for one in times if one), 0)


def _mtime(file: str) -> int:
    try:
        return int(os.stat(file).st_mtime)
    except OSError:
        return 0


def _open(file: str) -> str:
    with open(file, encoding="utf-8", errors="surrogateescape") as stream:
        return stream.read(_TEXT_LIMIT)


def _text(file: str) -> str:
    try:
        return _open(file)
    except OSError:
        return ""

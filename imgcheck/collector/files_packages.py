"""What package managers list in some folders: dpkg, apk and conda.

Sources: dpkg's /var/lib/dpkg/info/*.list and *.md5sums (deb-md5sums(5)), apk's lib/apk/db/installed (apk-v2(5)),
conda's conda-meta/*.json ("files" and "paths_data").
Floor: Python 3.8.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from typing import Any, Dict, Iterable, Iterator

from imgcheck.collector.files_owners import Owner, Row, read_text, without_bytecode

_DPKG = "/var/lib/dpkg"
_APK = ("/lib/apk/db/installed", "/usr/lib/apk/db/installed")
_RPM = ("/var/lib/rpm", "/usr/lib/sysimage/rpm")

Facts = Dict[str, Any]


def packages_of(folders: Iterable[str], prefix: str) -> Iterator[Owner]:
    """Packages that own something in these folders, each with those files of it."""
    starts = tuple(folder + "/" for folder in folders)
    if starts:
        for owner in (*_dpkg(starts), *_apk(starts), *_conda(prefix, starts)):
            yield owner._replace(rows=without_bytecode(owner.rows))


def unlisted_packages() -> str:
    """The package manager whose lists cannot be read without a library of its own; empty where there is none."""
    return "rpm" if any(os.path.isdir(folder) and os.listdir(folder) for folder in _RPM) else ""


def _dpkg(starts: tuple[str, ...]) -> Iterator[Owner]:
    versions: dict[str, str] | None = None
    for name in _names(_DPKG + "/info", ".list"):
        file = f"{_DPKG}/info/{name}"
        if not _names_any(file, starts):
            continue
        paths = [line for line in read_text(file).split("\n") if line.startswith(starts)]
        if versions is None:
            versions = _dpkg_versions()
        package = name[: -len(".list")]
        sums = _md5sums(f"{_DPKG}/info/{package}.md5sums")
        rows = [
            Row(path, sums.get(path, ""), -1)
            for path in paths
            if path in sums or os.path.islink(path) or not os.path.isdir(path)
        ]
        plain = package.partition(":")[0]
        yield Owner("dpkg", plain, versions.get(plain, ""), "", file, rows)


def _names_any(file: str, starts: Iterable[str]) -> bool:
    """Whether a line begins so; most lists name nothing here, and are not decoded."""
    try:
        with open(file, "rb", buffering=0) as stream:
            data = b"\n" + (stream.read() or b"")
    except OSError:
        return False
    return any(b"\n" + os.fsencode(start) in data for start in starts)


def _dpkg_versions() -> dict[str, str]:
    found: dict[str, str] = {}
    package = ""
    for line in read_text(_DPKG + "/status").split("\n"):
        if line.startswith("Package: "):
            package = line[9:].strip()
        elif line.startswith("Version: "):
            found[package] = line[9:].strip()
    return found


def _md5sums(file: str) -> dict[str, str]:
    pairs = (line.split("  ", 1) for line in read_text(file).split("\n") if "  " in line)
    return {"/" + path: "md5:" + digest for digest, path in pairs}


def _apk(starts: tuple[str, ...]) -> Iterator[Owner]:
    file = next((one for one in _APK if os.path.isfile(one)), None)
    for paragraph in read_text(file).split("\n\n") if file else ():
        facts = {"P": "", "V": ""}
        rows: list[Row] = []
        folder = path = ""
        for line in paragraph.split("\n"):
            key, _, value = line.partition(":")
            if key in facts:
                facts[key] = value
            elif key == "F":
                folder = "/" + value
            elif key == "R":
                path = folder + "/" + value
                if path.startswith(starts):
                    rows.append(Row(path, "", -1))
            elif key == "Z" and rows and rows[-1].path == path:
                rows[-1] = Row(path, _apk_digest(value), -1)
        if rows and file:
            yield Owner("apk", facts["P"], facts["V"], "", file, rows)


def _apk_digest(value: str) -> str:
    """From "Q1" and base64 of SHA-1."""
    try:
        return "sha1:" + base64.b64decode(value[2:]).hex() if value.startswith("Q1") else ""
    except (binascii.Error, ValueError):
        return ""


def _conda(prefix: str, starts: tuple[str, ...]) -> Iterator[Owner]:
    """Where conda rewrites a file, the hash in the prefix counts."""
    folder = os.path.join(prefix, "conda-meta")
    for name in _names(folder, ".json"):
        told = _json(os.path.join(folder, name))
        rows = [row for row in (_conda_row(prefix, one) for one in _conda_paths(told)) if row.path.startswith(starts)]
        if rows:
            label = str(told.get("name") or name), str(told.get("version") or "")
            yield Owner("conda", *label, "", os.path.join(folder, name), rows)


def _conda_paths(told: Facts) -> Iterator[Facts]:
    data = told.get("paths_data")
    listed = data.get("paths") if isinstance(data, dict) else None
    for entry in listed or told.get("files") or ():
        known = {"_path": entry} if isinstance(entry, str) else entry
        if isinstance(known, dict) and isinstance(known.get("_path"), str):
            yield known


def _conda_row(prefix: str, entry: Facts) -> Row:
    rewritten = "prefix_placeholder" in entry
    digest = entry.get("sha256_in_prefix") or ("" if rewritten else entry.get("sha256"))
    size = entry.get("size_in_bytes")
    known = isinstance(size, int) and not rewritten and entry.get("path_type") != "softlink"
    path = os.path.join(prefix, entry["_path"])
    return Row(path, f"sha256:{digest}" if digest else "", size if known and isinstance(size, int) else -1)


def _names(folder: str, ending: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(ending))
    except OSError:
        return []


def _json(file: str) -> Facts:
    try:
        told = json.loads(read_text(file))
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}

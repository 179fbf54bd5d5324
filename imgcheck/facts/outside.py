"""What the layers of an image say of its distributions, set beside what its own Python says: nothing of it is run."""

from __future__ import annotations

import base64
import csv
import io
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress

from imgcheck.collector.distributions import headers_of, rows_digest, rows_of
from imgcheck.facts.contents import Contents
from imgcheck.facts.model import Inventory
from imgcheck.facts.outside_model import OutsideDistribution, OutsideFacts

_SHOWN = 200
_METADATA = ("METADATA", "PKG-INFO")
_FOLDER = re.compile(r"(local/)?lib(64)?/python(3|(?P<version>\d+\.\d+)t?)/(?P<kind>site|dist)-packages")
_REWRITTEN = (".pyc", "/INSTALLER", "/REQUESTED", "/RECORD", "/direct_url.json")


def outside_facts(contents: Contents, inventory: Inventory, python: str, mounts: tuple[str, ...]) -> OutsideFacts:
    """Distributions in the folders that Python named, and in those that belong to the interpreter at `python`."""
    told = [*inventory.interpreter.path, *(one.location for one in inventory.distributions)]
    roots = {contents.real(one) for one in told if not _below(one, mounts)}
    executables = {python, inventory.interpreter.executable or python}
    version = inventory.interpreter.version
    own = {folder for one in executables for folder in _own_folders(contents, one, version)} - roots
    found = _Lists(contents)
    return OutsideFacts(
        distributions=tuple(found.read(roots)),
        hidden=tuple(found.read(own)),
        python=python,
        script=_is_script(contents, python),
        real={one: "/" + contents.real(one) for one in {one.metadata_path for one in inventory.distributions}},
        mounted=tuple(one.metadata_path for one in inventory.distributions if _below(one.metadata_path, mounts)),
        bytes_read=contents.bytes_read,
        bytes_hashed=contents.bytes_hashed,
        files=len(contents.files),
    )


def roots_of(inventory: Inventory) -> tuple[str, ...]:
    """Folders whose files must be hashed, beside those that are named as installers name them."""
    return tuple(dict.fromkeys(one.location for one in inventory.distributions))


def _below(path: str, mounts: tuple[str, ...]) -> bool:
    return any(path == one or path.startswith(one.rstrip("/") + "/") for one in mounts)


def _is_script(contents: Contents, python: str) -> bool:
    file = contents.files.get(contents.real(python))
    return file is not None and file.script


def _own_folders(contents: Contents, python: str, version: str) -> Iterator[str]:
    """Folders of an installation, by its layout; of a virtual environment its own alone."""
    raw = contents.real(posixpath.dirname(posixpath.dirname(python)))
    real = contents.real(python)
    is_environment = f"{raw}/pyvenv.cfg" in contents.files
    prefix = raw if is_environment else posixpath.dirname(posixpath.dirname(real))
    named = re.search(r"python(\d+\.\d+)", posixpath.basename(real))
    minor = named[1] if named else ".".join(version.split(".")[:2])
    start = f"{prefix}/" if prefix else ""
    for folder in {posixpath.dirname(posixpath.dirname(path)) for path in contents.texts}:
        match = _FOLDER.fullmatch(folder[len(start) :]) if folder.startswith(start) else None
        if match and match["version"] in (None, minor) and not (match[1] and match["kind"] == "site"):
            yield folder


class _Lists:
    """RECORDs of the whole tree, and what is there: a file that any of them lists as it is, is nobody's difference."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self._claims: defaultdict[str, set[str]] = defaultdict(set)
        self._rows: dict[str, list[list[str]]] = {}
        for path in contents.texts:
            folder, name = posixpath.split(path)
            if name == "RECORD" and folder.endswith(".dist-info"):
                with suppress(csv.Error):  # no list to compare with, as the collector has none
                    self._rows[folder] = rows_of(_text(contents.texts[path]))
                for row in self._rows.get(folder, ()):
                    self._claims[self._place(folder, row[0])].add(_hash_of(row))

    def read(self, folders: Iterable[str]) -> Iterator[OutsideDistribution]:
        wanted = set(folders)
        for path in sorted(self._contents.texts):
            folder, name = posixpath.split(path)
            single = name.endswith(".egg-info")
            metadata = path if single else folder
            if posixpath.dirname(metadata) not in wanted or posixpath.basename(metadata).startswith("~"):
                continue
            if single or (name in _METADATA and folder.endswith("-info") and self._first(folder) == name):
                yield self._distribution(metadata, path)

    def _first(self, folder: str) -> str:
        return next((name for name in _METADATA if f"{folder}/{name}" in self._contents.texts), "")

    def _distribution(self, metadata: str, path: str) -> OutsideDistribution:
        headers = headers_of(_text(self._contents.texts[path]).splitlines())
        rows = self._rows.get(metadata)
        differing, missing = self._compared(metadata, rows or [])
        return OutsideDistribution(
            metadata_path=_shown(f"/{metadata}"),
            name=_shown(headers.get("name")),
            version=_shown(headers.get("version")),
            listed=None if rows is None else len(rows),
            record_digest="" if rows is None else rows_digest(rows),
            differing=tuple(differing[:_SHOWN]),
            differing_count=len(differing),
            missing=tuple(missing[:_SHOWN]),
            missing_count=len(missing),
        )

    def _compared(self, metadata: str, rows: list[list[str]]) -> tuple[list[str], list[str]]:
        """Files inside its location that are not as any list has them, and those that are not there."""
        differing, missing = [], []
        for row in rows:
            if row[0].startswith(("../", "/")) or row[0].endswith(_REWRITTEN) or not _hash_of(row):
                continue
            place = self._place(metadata, row[0])
            file = self._contents.files.get(place)
            if file is None:
                if f"{place}c" not in self._contents.files:
                    missing.append(_shown(row[0]))
            elif file.digest not in self._claims[place] and _is_sha256(row):
                differing.append(_shown(row[0]))
        return differing, missing

    def _place(self, metadata: str, relative: str) -> str:
        return self._contents.real(posixpath.join(posixpath.dirname(metadata), relative))


def _is_sha256(row: list[str]) -> bool:
    return len(row) > 1 and row[1].startswith("sha256=")


def _hash_of(row: list[str]) -> str:
    """As hexadecimal; empty where none is listed, or none that can be read."""
    if len(row) < 2 or not row[1].startswith("sha256="):
        return ""
    text = row[1][7:]
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).hex()
    except ValueError:
        return ""


def _text(data: bytes) -> str:
    """As Python reads text: every kind of line end is one."""
    return io.TextIOWrapper(io.BytesIO(data), "utf-8", errors="surrogateescape").read()


def _shown(text: object) -> str:
    """Bounded; what is no UTF-8 is written out, as the collector's channel does."""
    return str(text or "").encode("utf-8", "backslashreplace").decode("utf-8")[:4096]

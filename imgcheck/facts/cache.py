"""Facts kept by content: of the image, of the collector, and the options. Never by tag, never by time."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path
from pydantic import BaseModel, ConfigDict, ValidationError


class Entry(BaseModel):
    """What is kept. `key` is kept whole, so that an entry can never answer for another."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: dict[str, Any]
    collected_at: str
    seconds: float
    facts: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class FactsCache:
    """A folder of JSON files. A damaged entry is no entry; a folder that cannot be written to is told, not fatal."""

    folder: Path
    enabled: bool = True

    @classmethod
    def default(cls, folder: Path | None = None, *, enabled: bool = True) -> FactsCache:
        return cls(folder=folder or user_cache_path("imgcheck") / "facts", enabled=enabled)

    def find(self, key: Mapping[str, Any]) -> Entry | None:
        if not self.enabled:
            return None
        try:
            entry = Entry.model_validate_json(self._file(key).read_bytes())
        except (OSError, ValidationError):
            return None
        return entry if entry.key == json.loads(_canonical(key)) else None

    def keep(self, key: Mapping[str, Any], facts: Mapping[str, Any], seconds: float) -> str:
        """Writes an entry whole or not at all. Returns why it could not, or nothing."""
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        entry = Entry(key=json.loads(_canonical(key)), collected_at=now, seconds=seconds, facts=dict(facts))
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _write_whole(self._file(key), entry.model_dump_json().encode())
        except OSError as error:
            return f"facts could not be kept in {self.folder}: {error.strerror}"
        return ""

    def _file(self, key: Mapping[str, Any]) -> Path:
        return self.folder / f"{hashlib.sha256(_canonical(key)).hexdigest()}.json"


def _canonical(key: Mapping[str, Any]) -> bytes:
    return json.dumps(key, sort_keys=True, separators=(",", ":")).encode()


def _write_whole(path: Path, content: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".facts-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(temporary).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise

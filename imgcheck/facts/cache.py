"""Facts kept by content: of the image, of the collector, and the options. Never by tag, never by time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final

from platformdirs import user_cache_path
from pydantic import BaseModel, ConfigDict, ValidationError

from imgcheck.drafts import write_whole

_SEAL: Final = b"sha256:"


class Entry(BaseModel):
    """What is kept. `key` is kept whole, so that an entry can never answer for another."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: dict[str, Any]
    collected_at: str
    seconds: float
    facts: dict[str, Any]


def _unheard(_message: str) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True, kw_only=True)
class FactsCache:
    """A folder of JSON files, each under a line with its digest: a bit that changed on a disk is never a fact.

    A damaged entry is no entry, and is told; a folder that cannot be written to is told, not fatal.
    """

    folder: Path
    enabled: bool = True

    @classmethod
    def default(cls, folder: Path | None = None, *, enabled: bool = True) -> FactsCache:
        return cls(folder=folder or user_cache_path("imgcheck") / "facts", enabled=enabled)

    def find(self, key: Mapping[str, Any], tell: Callable[[str], None] = _unheard) -> Entry | None:
        if not self.enabled:
            return None
        file = self._file(key)
        try:
            content = file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            tell(f"facts kept in {self.folder} cannot be read, and were collected afresh: {error.strerror}")
            return None
        entry = _unsealed(content)
        if entry is None or entry.key != json.loads(_canonical(key)):
            tell(f"facts kept in {file} were damaged, and were collected afresh")
            return None
        return entry

    def keep(self, key: Mapping[str, Any], facts: Mapping[str, Any], seconds: float) -> str:
        """Writes an entry whole or not at all. Returns why it could not, or nothing."""
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        entry = Entry(key=json.loads(_canonical(key)), collected_at=now, seconds=seconds, facts=dict(facts))
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._file(key), _sealed(entry.model_dump_json().encode()), mode=0o600, durable=False)
        except OSError as error:
            return f"facts could not be kept in {self.folder}: {error.strerror}"
        return ""

    def _file(self, key: Mapping[str, Any]) -> Path:
        return self.folder / f"{hashlib.sha256(_canonical(key)).hexdigest()}.json"


def _canonical(key: Mapping[str, Any]) -> bytes:
    return json.dumps(key, sort_keys=True, separators=(",", ":")).encode()


def _sealed(content: bytes) -> bytes:
    return b"%s%s\n%s" % (_SEAL, hashlib.sha256(content).hexdigest().encode(), content)


def _unsealed(data: bytes) -> Entry | None:
    seal, _, content = data.partition(b"\n")
    if seal != _SEAL + hashlib.sha256(content).hexdigest().encode():
        return None
    try:
        return Entry.model_validate_json(content)
    except ValidationError:
        return None

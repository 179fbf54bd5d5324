"""What an image's layers hold, as one tree: told by the engine's archive alone, without running anything."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

_MOST_LINKS: Final = 40


@dataclass(frozen=True)
class File:
    """A regular file: hexadecimal sha256 and size; `script` where it opens with "#!"."""

    digest: str
    size: int
    script: bool = False


@dataclass(frozen=True, kw_only=True)
class Contents:
    """Paths are relative to the root. `texts` are metadata files, whole."""

    files: Mapping[str, File] = field(default_factory=dict)
    texts: Mapping[str, bytes] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    bytes_read: int = 0
    bytes_hashed: int = 0

    def real(self, path: str) -> str:
        """Where a path leads inside the image; a loop leads to itself."""
        found = ""
        todo = path.strip("/").split("/")[::-1]
        steps = 0
        while todo:
            part = todo.pop()
            if part in ("", "."):
                continue
            if part == "..":
                found = posixpath.dirname(found)
                continue
            here = posixpath.join(found, part)
            target = self.links.get(here)
            if target is None:
                found = here
                continue
            steps += 1
            if steps > _MOST_LINKS:
                return path.strip("/")
            if target.startswith("/"):
                found = ""
            todo += target.strip("/").split("/")[::-1]
        return found

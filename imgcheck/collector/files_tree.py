"""The folders that distributions are installed to, walked once, and looked up by the names that owners list.

Bytecode is left out: Python writes it anew.
Floor: Python 3.8.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Iterable, Iterator

_SITES = ("site-packages", "dist-packages")
_CACHE = "__pycache__"

Facts = Dict[str, Any]


def site_folders(sys_path: Iterable[str], distributions: Iterable[Facts]) -> list[str]:
    """Entries of sys.path that installers write to: by their name, or because a RECORD is in them."""
    recorded = {one["location"] for one in distributions if one["kind"] == "dist-info" and one["files"] is not None}
    found: dict[str, str] = {}
    for entry in sys_path:
        plain = entry.rstrip("/")
        if os.path.isdir(entry) and (entry in recorded or os.path.basename(plain) in _SITES):
            found.setdefault(os.path.realpath(entry), plain)
    return list(found.values())


class Tree:
    """What lies in some folders: names read once, each file's size and time asked for when it is needed."""

    def __init__(self, roots: Iterable[str]) -> None:
        self.roots = list(roots)
        self._folders: dict[str, dict[str, os.DirEntry[str]]] = {}
        self._listed: dict[str, list[str]] = {}
        self.links: list[str] = []
        self.closed: list[str] = []
        for root in self.roots:
            self._walk(root)

    def _walk(self, root: str) -> None:
        waiting = [root]
        while waiting:
            folder = waiting.pop()
            if folder in self._folders:
                continue
            names: dict[str, os.DirEntry[str]] = {}
            self._folders[folder] = names
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        names[entry.name] = entry
                        if entry.is_symlink():
                            self.links.append(entry.path)
                        elif entry.name != _CACHE and entry.is_dir(follow_symlinks=False):
                            waiting.append(entry.path)
            except OSError:
                self.closed.append(folder)

    def names(self, folder: str) -> Iterable[str]:
        return self._folders.get(folder, ())

    def is_folder(self, folder: str) -> bool:
        return folder in self._folders

    def all_files(self, root: str) -> list[str]:
        """Paths of everything below a root that is no folder; made once."""
        known = self._listed.get(root)
        if known is None:
            known = self._listed[root] = list(self.files(root))
        return known

    def files(self, folder: str) -> Iterator[str]:
        """Paths of everything below that is no folder, a folder's own files first."""
        waiting = [folder]
        while waiting:
            names = self._folders.get(waiting.pop(), {})
            below = []
            for name in sorted(names):
                path = names[name].path
                if path in self._folders:
                    below.append(path)
                elif name != _CACHE:
                    yield path
            waiting.extend(reversed(below))

    def look(self, path: str) -> os.stat_result | None:
        """The file through links; None where there is none.

        Raises:
            PermissionError: this user cannot tell.
        """
        folder, _, name = path.rpartition("/")
        names = self._folders.get(folder)
        entry = names.get(name) if names is not None else None
        try:
            return entry.stat() if entry is not None else os.stat(path)
        except PermissionError:
            raise
        except (OSError, ValueError):
            return None

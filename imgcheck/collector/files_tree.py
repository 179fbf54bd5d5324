"""The folders that distributions are installed to, walked once, and looked up by the names that owners list.

Bytecode is left out: Python writes it anew.
Floor: Python 3.8.
"""

from __future__ import annotations

import os
from typing import Collection, Iterable

_SITES = ("site-packages", "dist-packages")
_CACHE = "__pycache__"


def site_folders(sys_path: Iterable[str], recorded: Iterable[str]) -> list[str]:
    """Entries of sys.path that installers write to: by their name, or because a RECORD is in them (`recorded`)."""
    holding = set(recorded)
    found: dict[str, str] = {}
    for entry in sys_path:
        plain = entry.rstrip("/")
        if os.path.isdir(entry) and (entry in holding or os.path.basename(plain) in _SITES):
            found.setdefault(os.path.realpath(entry), plain)
    return list(found.values())


class Tree:
    """What lies in some folders: names read once, each file's size and time asked for when it is needed.

    `tops` are the names in each root, `files` the paths of all below it that is no folder, links among them; a root
    inside another one is its own.
    """

    def __init__(self, roots: Iterable[str]) -> None:
        self.roots = list(roots)
        self.tops: dict[str, list[str]] = {}
        self.files: dict[str, list[str]] = {}
        self.links: list[str] = []
        self.closed: list[str] = []
        self._entries: dict[str, os.DirEntry[str]] = {}
        for root in self.roots:
            known = len(self._entries)
            self._walk(root, set(self.roots))
            self.files[root] = list(self._entries)[known:]

    def _walk(self, root: str, roots: Collection[str]) -> None:
        waiting = self._look_into(root)
        names = (path[len(root) + 1 :] for path in (*waiting, *self._entries) if path.startswith(root + "/"))
        self.tops[root] = sorted(name for name in names if "/" not in name)
        while waiting:
            folder = waiting.pop()
            if folder not in roots:
                waiting += self._look_into(folder)

    def _look_into(self, folder: str) -> list[str]:
        """Takes its files, and returns its folders."""
        folders = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if not entry.is_dir(follow_symlinks=False):
                        self._entries[entry.path] = entry
                        if entry.is_symlink():
                            self.links.append(entry.path)
                    elif entry.name != _CACHE:
                        folders.append(entry.path)
        except OSError:
            self.closed.append(folder)
        return folders

    def __contains__(self, path: str) -> bool:
        return path in self._entries

    def look(self, path: str) -> os.stat_result | None:
        """The file through links; None where there is none.

        Raises:
            PermissionError: this user cannot tell.
        """
        entry = self._entries.get(path)
        try:
            return entry.stat() if entry is not None else os.stat(path)
        except PermissionError:
            raise
        except (OSError, ValueError):
            return None

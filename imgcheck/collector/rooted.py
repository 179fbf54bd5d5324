"""A folder in the place of "/": what chroot(2) does, without its rights and for this process's Python code alone.

The collector looks at files by `os`, `open` and what is built on them. Here these take a path of the image, follow its
links inside of the folder, and never outside: nothing of the machine that this runs on is seen by such a path. Owners
and modes are those of the image where the folder could not keep them, and so is what its user may read.
Nothing is written, nothing but plain files is opened.
Floor: Python 3.8.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import stat
import subprocess
from typing import Any, Iterator, Mapping, NamedTuple, Tuple

_MOST_LINKS = 40  # as the kernel follows (path_resolution(7))

Owned = Tuple[int, int, int]  # mode, uid, gid


class User(NamedTuple):
    """Who looks: what this user may not read is told as the kernel would."""

    uid: int
    gids: tuple[int, ...]


class Root:
    """A folder that stands for "/".

    Args:
        folder: on this machine.
        links: further links, by their paths in the image.
    """

    def __init__(self, folder: str, links: Mapping[str, str] | None = None) -> None:
        self.folder = os.path.realpath(folder)
        self._links = dict(links or {})
        self._folders: dict[str, str] = {"": "", "/": ""}
        self._readlink = os.readlink

    def host(self, path: str, *, follow: bool = True) -> str:
        """Where a path of the image lies on this machine; below the folder whatever links say. Raises OSError."""
        return self.folder + self.real(path, follow=follow)

    def real(self, path: str, *, follow: bool = True) -> str:
        """The same path without links, "" for the root itself; what is not there is taken as it is written."""
        return self._real(path, follow, 0)

    def _real(self, path: str, follow: bool, depth: int) -> str:
        if depth > _MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        folder, _, name = path.rstrip("/").rpartition("/")
        if name in ("", "."):
            return self._folder(folder, depth)
        above = self._folder(folder, depth)
        if name == "..":
            return above.rpartition("/")[0]
        plain = above + "/" + name
        target = self._target(plain) if follow else None
        if target is None:
            return plain
        return self._real(target if target.startswith("/") else above + "/" + target, True, depth + 1)

    def _folder(self, path: str, depth: int) -> str:
        known = self._folders.get(path)
        if known is None:
            known = self._folders[path] = self._real(path, True, depth)
        return known

    def _target(self, plain: str) -> str | None:
        named = self._links.get(plain)
        if named is not None:
            return named
        try:
            return self._readlink(self.folder + plain)
        except (OSError, ValueError):
            return None


class View:
    """The functions of `os` that take a path, over a root.

    Args:
        root: where paths lie.
        owned: by real path of the image, what its files have there and not here.
        user: who looks.
        workdir: where relative paths begin.
    """

    def __init__(self, root: Root, owned: Mapping[str, Owned], user: User, workdir: str) -> None:
        self._root = root
        self._owned = owned
        self._user = user
        self._workdir = workdir
        self._passable: dict[str, bool] = {"": True}
        self._os = {name: getattr(os, name) for name in ("stat", "lstat", "listdir", "scandir", "readlink", "open")}
        self._open = io.open

    def install(self) -> None:
        """From here on `os` and `open` of this process look into the root."""
        for name in ("stat", "lstat", "listdir", "scandir", "readlink", "access", "open", "getcwd"):
            setattr(os, name, getattr(self, name))
        builtins.open = io.open = self.open_file
        subprocess.Popen = _Refused  # type: ignore[assignment,misc]  # a path of the image is none of this machine

    def _path(self, path: Any) -> str:
        text = os.fsdecode(path)
        if "\0" in text:
            raise ValueError("embedded null byte")
        if not text:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), text)
        return text if text.startswith("/") else self._workdir.rstrip("/") + "/" + text

    def _found(self, path: Any, *, follow: bool) -> str:
        """The real path in the image, which its user may go to."""
        real = self._root.real(self._path(path), follow=follow)
        if not self._may_pass(real.rpartition("/")[0]):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return real

    def _seen(self, real: str, *, follow: bool) -> os.stat_result:
        seen: os.stat_result = self._os["stat"](self._root.folder + (real or "/"), follow_symlinks=False)
        if follow and stat.S_ISLNK(seen.st_mode):  # the root's own link: it was replaced meanwhile
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), real)
        owned = self._owned.get(real)
        if owned is None:
            return seen
        rebuilt: Any = seen.__reduce__()  # how copy and pickle do
        numbers, named = rebuilt[1]
        mode = stat.S_IFMT(seen.st_mode) | owned[0]
        return os.stat_result((mode, *numbers[1:4], owned[1], owned[2], *numbers[6:]), named)

    # --- as os has them

    def stat(self, path: Any, *, follow_symlinks: bool = True) -> os.stat_result:
        if isinstance(path, int):
            found: os.stat_result = self._os["stat"](path)
            return found
        return self._seen(self._found(path, follow=follow_symlinks), follow=follow_symlinks)

    def lstat(self, path: Any) -> os.stat_result:
        return self.stat(path, follow_symlinks=False)

    def readlink(self, path: Any) -> str:
        real = self._found(path, follow=False)
        named = self._root._links.get(real)  # noqa: SLF001 - one module
        found: str = named if named is not None else self._os["readlink"](self._root.folder + real)
        return found

    def listdir(self, path: Any = ".") -> list[str]:
        found: list[str] = self._os["listdir"](self._readable(path))
        return found

    def scandir(self, path: Any = ".") -> _Entries:
        return _Entries(self, self._os["scandir"](self._readable(path)), os.fsdecode(path))

    def access(self, path: Any, mode: int, *, effective_ids: bool = False, follow_symlinks: bool = True) -> bool:  # noqa: ARG002 - os's own
        try:
            real = self._found(path, follow=follow_symlinks)
            return self._may(self._seen(real, follow=follow_symlinks), mode)
        except (OSError, ValueError):
            return False

    def open(self, path: Any, flags: int) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        found: int = self._os["open"](self._plain_file(path), flags)
        return found

    def getcwd(self) -> str:
        return self._workdir

    def open_file(self, file: Any, mode: str = "r", *arguments: Any, **more: Any) -> Any:
        if isinstance(file, int):
            return self._open(file, mode, *arguments, **more)
        if set(mode) & set("wax+"):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), file)
        return self._open(self._plain_file(file), mode, *arguments, **more)

    # --- what the image's user may do

    def _readable(self, path: Any) -> str:
        """A folder or a file on this machine, which the image's user may read."""
        real = self._found(path, follow=True)
        if not self._may(self._seen(real, follow=True), os.R_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return self._root.folder + (real or "/")

    def _plain_file(self, path: Any) -> str:
        host = self._readable(path)
        kind = self._os["lstat"](host).st_mode
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if not stat.S_ISREG(kind):  # a pipe or a device would hang, or do something
            raise OSError(errno.ENXIO, os.strerror(errno.ENXIO), path)
        return host

    def _may_pass(self, folder: str) -> bool:
        if self._user.uid == 0:
            return True
        known = self._passable.get(folder)
        if known is None:
            try:
                known = self._may_pass(folder.rpartition("/")[0]) and self._may(
                    self._seen(folder, follow=True), os.X_OK
                )
            except OSError:
                known = True  # it is not there, which is told by whoever looks
            self._passable[folder] = known
        return known

    def _may(self, seen: os.stat_result, mode: int) -> bool:
        if self._user.uid == 0:
            runs = stat.S_ISDIR(seen.st_mode) or bool(seen.st_mode & 0o111)
            return runs or not mode & os.X_OK
        shift = 6 if seen.st_uid == self._user.uid else 3 if seen.st_gid in self._user.gids else 0
        return (seen.st_mode >> shift) & mode == mode


class _Refused:
    """In the place of a process."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise OSError(errno.EPERM, "nothing is run of what is only files")


class _Entry:
    """os.DirEntry over a view."""

    def __init__(self, view: View, folder: str, name: str) -> None:
        self._view = view
        self.name = name
        self.path = folder.rstrip("/") + "/" + name if folder != "." else name

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return self._view.stat(self.path, follow_symlinks=follow_symlinks)

    def _mode(self, follow: bool) -> int:
        try:
            return self.stat(follow_symlinks=follow).st_mode
        except FileNotFoundError:
            return 0

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return stat.S_ISDIR(self._mode(follow_symlinks))

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return stat.S_ISREG(self._mode(follow_symlinks))

    def is_symlink(self) -> bool:
        return stat.S_ISLNK(self._mode(False))

    def is_junction(self) -> bool:
        return False

    def __fspath__(self) -> str:
        return self.path


class _Entries:
    """What os.scandir gives."""

    def __init__(self, view: View, entries: Any, folder: str) -> None:
        self._view = view
        self._entries = entries
        self._folder = folder

    def __iter__(self) -> Iterator[_Entry]:
        return self

    def __next__(self) -> _Entry:
        return _Entry(self._view, self._folder, next(self._entries).name)

    def __enter__(self) -> _Entries:  # noqa: PYI034 - Self is of Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._entries.close()

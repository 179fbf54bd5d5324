"""Layers laid one over another in a folder, as a container would have them: whiteouts, opaque folders, links.

What a layer holds is untrusted. Paths are resolved inside the folder, nothing is written through a link, devices and
pipes are left out, and owners, modes and the bits that give rights go into a table and not onto this machine's files.
What an image may hold is bounded.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import posixpath
import shutil
import stat
import tarfile
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

from zstandard import ZstdError

from imgcheck.collector.rooted import Owned, Root
from imgcheck.engines.image_file import LayerFile
from imgcheck.engines.saved import BoundedHeader
from imgcheck.errors import UsageError

LARGEST: Final = 256 * 2**30
"""Bytes that all files of all layers may have together, holes in them included."""
MOST: Final = 5_000_000
"""Entries of all layers."""
_WHITEOUT: Final = ".wh."
_OPAQUE: Final = ".wh..wh..opq"
_BLOCK: Final = 1 << 20
_FOLDER: Final = 0o700
_FILE: Final = 0o600


class Unpacked:
    """A folder that is filled layer by layer.

    Args:
        folder: an empty one.
        largest: bytes of files.
        most: entries.
    """

    def __init__(self, folder: Path, *, largest: int = LARGEST, most: int = MOST) -> None:
        self.owned: dict[str, Owned] = {}
        self.size = 0
        self._folder = str(folder)
        self._root = Root(self._folder)
        self._largest = largest
        self._most = most
        self._entries = 0
        self._fresh: set[str] = set()
        """What the present layer brought, and the folders above it."""

    def add(self, layer: LayerFile) -> None:
        """Raises UsageError: the layer is damaged, holds too much, or the folder's disk is full."""
        self._fresh = set()
        try:
            with layer.open() as stream:
                hashing = _Hashing(stream)
                with tarfile.open(fileobj=hashing, mode="r|", tarinfo=BoundedHeader) as tar:
                    for member in tar:
                        self._entry(tar, member)
                        tar.members = []  # type: ignore[attr-defined]  # it would remember every member
                digest = hashing.digest()
        except OSError as error:
            raise _failed(layer, error, self._folder) from None
        except (tarfile.TarError, EOFError, ValueError, zlib.error, ZstdError) as error:
            raise UsageError(f"layer {layer.name} cannot be read: {error}") from None
        if digest != layer.diff_id:
            raise UsageError(
                f"layer {layer.name} has other content than the image's configuration says: {digest} is there, and "
                f"{layer.diff_id} was written",
                remedy="save the image again",
            )

    def _entry(self, tar: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        self._entries += 1
        if self._entries > self._most:
            raise ValueError(f"the image has more than {self._most:,} entries")
        parts = [part for part in member.name.split("/") if part not in ("", ".")]
        if ".." in parts:
            raise ValueError(f"{member.name!r} leads out of the image")
        if not parts:
            return
        folder = self._made("/".join(parts[:-1]))
        name = parts[-1]
        if name == _OPAQUE:
            self._empty(folder)
        elif name.startswith(_WHITEOUT):
            self._remove(f"{folder}/{name[len(_WHITEOUT) :]}", kept=self._fresh)
        else:
            self._put(tar, member, f"{folder}/{name}")

    def _put(self, tar: tarfile.TarFile, member: tarfile.TarInfo, real: str) -> None:
        host = self._folder + real
        if not (member.isdir() and stat.S_ISDIR(_kind(host))):
            self._remove(real)
        if member.isdir():
            with suppress(FileExistsError):
                os.mkdir(host, _FOLDER)  # noqa: PTH102 - paths here are text, and many
        elif member.isreg():
            self._write(tar, member, host)
        elif member.issym():
            self.size += len(member.linkname)
            os.symlink(member.linkname, host)  # noqa: PTH211 - as above
            self._root = Root(self._folder)  # what it knew of folders may be otherwise now
        elif member.islnk():
            self._link(member.linkname, real)
            return
        else:  # a device or a pipe, which an image does not need and this machine must not have
            return
        self.owned[real] = (member.mode & 0o7777, member.uid, member.gid)
        self._mark(real)
        if not member.issym():
            os.utime(host, (member.mtime, member.mtime))

    def _write(self, tar: tarfile.TarFile, member: tarfile.TarInfo, host: str) -> None:
        self.size += member.size
        if self.size > self._largest:
            raise ValueError(f"the image's files have more than {self._largest:,} bytes")
        content: Any = tar.extractfile(member)
        descriptor = os.open(host, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, _FILE)
        with os.fdopen(descriptor, "wb") as file:
            shutil.copyfileobj(content, file, _BLOCK)

    def _link(self, target: str, real: str) -> None:
        """A hard link, to the file itself even where that is a symbolic link."""
        source = self._root.real("/" + target, follow=False)
        os.link(self._folder + source, self._folder + real, follow_symlinks=False)
        if source in self.owned:
            self.owned[real] = self.owned[source]
        self._mark(real)

    def _made(self, folder: str) -> str:
        """The folder, through links of the image, made where a layer brings none."""
        real = self._root.real("/" + folder)
        if real and not stat.S_ISDIR(_kind(self._folder + real)):
            above = self._made(posixpath.dirname(real))
            real = f"{above}/{posixpath.basename(real)}"
            os.mkdir(self._folder + real, _FOLDER)  # noqa: PTH102 - as above
        return real

    def _mark(self, real: str) -> None:
        while real and real not in self._fresh:
            self._fresh.add(real)
            real = posixpath.dirname(real).rstrip("/")

    def _empty(self, folder: str) -> None:
        """Takes away what lower layers have in a folder."""
        for name in os.listdir(self._folder + folder):  # noqa: PTH208 - as above
            self._remove(f"{folder}/{name}", kept=self._fresh)

    def _remove(self, real: str, kept: Iterable[str] = ()) -> None:
        """With all that is below it, but what is `kept`."""
        host = self._folder + real
        kind = _kind(host)
        if not kind:
            return
        if real in kept:
            if stat.S_ISDIR(kind):
                for name in os.listdir(host):  # noqa: PTH208 - as above
                    self._remove(f"{real}/{name}", kept)
            return
        if stat.S_ISDIR(kind):
            for name in os.listdir(host):  # noqa: PTH208 - as above
                self._remove(f"{real}/{name}")
            os.rmdir(host)  # noqa: PTH106 - as above
        else:
            os.unlink(host)  # noqa: PTH108 - as above
        if stat.S_ISDIR(kind) or stat.S_ISLNK(kind):
            self._root = Root(self._folder)
        self.owned.pop(real, None)


def _kind(host: str) -> int:
    """st_mode of what is there itself; 0 where nothing is."""
    try:
        return os.lstat(host).st_mode
    except FileNotFoundError:
        return 0


class _Hashing(io.RawIOBase):
    """A stream that is hashed as it is read."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream
        self._digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._digest.update(data)
        return data

    def digest(self) -> str:
        """Of all of it: tar stops before the padding at its end."""
        while self.read(_BLOCK):
            pass
        return "sha256:" + self._digest.hexdigest()


def _failed(layer: LayerFile, error: OSError, folder: str) -> UsageError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return UsageError(
            f"the image does not fit into {folder}: {error.strerror}",
            remedy="name a folder with more room in TMPDIR",
        )
    return UsageError(f"layer {layer.name} cannot be laid out: {error.strerror or error}")

"""Reading an image archive (docker save, OCI image layout 1.0) as a stream, for what it says of distributions.

Nothing is unpacked and nothing written: headers are looked at, contents run through. The archive is the image's, so
untrusted: what is kept of it is bounded in number and size.
"""

from __future__ import annotations

import io
import json
import posixpath
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from imgcheck.errors import CollectorError
from imgcheck.facts.layers import Layer, LayerFacts, Written

_LIMIT: Final = 200_000
"""Entries of all layers that are kept; an image of a thousand distributions has a few thousand."""
_DOCUMENT_LIMIT: Final = 4 * 2**20
"""Bytes of one JSON document, and of one extended header."""
_DOCUMENTS: Final = 1024
_PATH_LIMIT: Final = 4096
_GZIP: Final = b"\x1f\x8b"
_FILES: Final = frozenset({"INSTALLER", "RECORD", "METADATA", "PKG-INFO"})
_WHITEOUT: Final = ".wh."
_OPAQUE: Final = ".wh..wh..opq"
_EXTENDED: Final = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)


def read_saved(chunks: Iterable[bytes]) -> LayerFacts:
    """The layers of the one image in an archive.

    Raises:
        CollectorError: it is no image archive, is cut short, or holds more than anyone's image does.
    """
    stream = Stream(chunks)
    try:
        found = Archive()
        found.fill(stream)
        return LayerFacts(layers=tuple(found.ordered()), bytes_read=stream.count)
    except RecursionError:
        raise CollectorError("the layers cannot be read: a document is nested too deep") from None
    except (tarfile.TarError, EOFError, ValueError, KeyError, TypeError, IndexError) as error:
        raise CollectorError(f"the layers cannot be read: {str(error) or type(error).__name__}") from None


class BoundedHeader(tarfile.TarInfo):
    """tarfile reads extended headers whole into memory, whatever size they name."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> BoundedHeader:
        found = super().frombuf(buf, encoding, errors)
        if found.type in _EXTENDED and found.size > _DOCUMENT_LIMIT:
            raise tarfile.ReadError(f"an extended header of {found.size:,} bytes")
        return found


class Stream(io.RawIOBase):
    """Chunks as a file that is read once."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._rest = memoryview(b"")
        self.count = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        parts: list[memoryview] = []
        missing = size if size >= 0 else 2**62
        while missing > 0:
            if not self._rest:
                chunk = next(self._chunks, None)
                if chunk is None:
                    break
                self._rest = memoryview(chunk)
                self.count += len(chunk)
            parts.append(self._rest[:missing])
            missing -= len(parts[-1])
            self._rest = self._rest[len(parts[-1]) :]
        return b"".join(parts)


@dataclass
class Archive:
    """Blobs by name, as they come: documents whole, layers as what they say."""

    documents: dict[str, bytes] = field(default_factory=dict)
    blobs: dict[str, Layer] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    kept: int = 0

    def fill(self, stream: Stream) -> None:
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=BoundedHeader) as tar:
            for member in tar:
                self.add(tar, member)

    def add(self, tar: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        name = posixpath.normpath(member.name)
        if member.issym() or member.islnk():  # Docker before 25 links a layer that is there twice
            target = member.linkname if member.islnk() else posixpath.join(posixpath.dirname(name), member.linkname)
            self.links[name] = posixpath.normpath(target)
            return
        content = tar.extractfile(member) if member.isreg() else None
        if content is None:
            return
        first = content.read(512)
        if first[:1] in (b"{", b"["):
            self._document(name, member.size, first + content.read(_DOCUMENT_LIMIT))
        elif len(first) == 512 or first[:2] == _GZIP:
            self.blobs[name] = self._layer(_rejoined(first, content))

    def _document(self, name: str, size: int, content: bytes) -> None:
        if size > _DOCUMENT_LIMIT or len(self.documents) >= _DOCUMENTS:
            raise ValueError(f"{name} has {size:,} bytes, or is one document too many")
        self.documents[name] = content

    def _layer(self, chunks: Iterator[bytes]) -> Layer:
        written: list[Written] = []
        removed: list[str] = []
        emptied: list[str] = []
        # a containerd store saves layers as they came from the registry: packed
        with tarfile.open(fileobj=Stream(chunks), mode="r|*", tarinfo=BoundedHeader) as tar:
            for member in tar:
                self._entry(member, written, removed, emptied)
                tar.members = []  # type: ignore[attr-defined]  # it would remember every member
        return Layer(step=None, written=tuple(written), removed=tuple(removed), emptied=tuple(emptied))

    def _entry(self, member: tarfile.TarInfo, written: list[Written], removed: list[str], emptied: list[str]) -> None:
        folder, name = posixpath.split(posixpath.normpath(member.name).lstrip("/"))
        if name == _OPAQUE:
            emptied.append(self._counted(folder))
        elif name.startswith(_WHITEOUT):
            removed.append(self._counted(posixpath.join(folder, name[len(_WHITEOUT) :])))
        elif _is_metadata(folder, name, member):
            path = self._counted(posixpath.join(folder, name))
            written.append(Written(path=path, time=int(member.mtime), size=member.size))

    def _counted(self, path: str) -> str:
        self.kept += 1
        if self.kept > _LIMIT:
            raise ValueError(f"more than {_LIMIT:,} entries on installed distributions")
        return path[:_PATH_LIMIT]

    def ordered(self) -> Iterator[Layer]:
        """The layers in the manifest's order, each with its entry of the history."""
        (manifest,) = json.loads(self.documents["manifest.json"])
        steps = _steps(json.loads(self.documents[posixpath.normpath(manifest["Config"])]))
        for name in manifest["Layers"]:
            path = posixpath.normpath(name)
            layer = self.blobs[self.links.get(path, path)]
            yield layer.model_copy(update={"step": next(steps, None)})


def _steps(config: dict[str, Any]) -> Iterator[int]:
    """Of the history, the entries that made a layer."""
    return (number for number, one in enumerate(config.get("history") or ()) if not one.get("empty_layer"))


def _is_metadata(folder: str, name: str, member: tarfile.TarInfo) -> bool:
    if name.endswith((".egg-info", ".egg-link")):
        return member.isreg()
    return name in _FILES and folder.endswith((".dist-info", ".egg-info"))


def _rejoined(first: bytes, content: Any) -> Iterator[bytes]:
    yield first
    while chunk := content.read(2**20):
        yield chunk

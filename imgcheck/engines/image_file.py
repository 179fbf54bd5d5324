"""An image in a file or a folder: what docker save writes, and the OCI image layout, without an engine.

Formats: docker image spec v1.2 (manifest.json), OCI image layout 1.0 and image specification 1.1 (index.json, blobs by
digest; layers plain, gzip or zstd). All of it is the image's, so untrusted: documents are bounded, and what is named by
a digest must have it.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import platform
import posixpath
import re
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

from zstandard import ZstdDecompressor

from imgcheck.engines.image_facts import of_config
from imgcheck.engines.local import ARCHITECTURES
from imgcheck.engines.saved import BoundedHeader
from imgcheck.errors import UsageError
from imgcheck.facts.model import ImageFacts, Step

_DOCUMENT_LIMIT: Final = 8 * 2**20
_MOST_BLOBS: Final = 100_000
_MOST_LINKS: Final = 16
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_NOT_ONE: Final = (
    "write one image to it: docker save IMAGE -o image.tar, or docker buildx build -o type=oci,dest=image.tar"
)

Document = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class LayerFile:
    """One layer.

    Args:
        name: of its blob.
        diff_id: digest of its tar as the image's configuration has it.
        open: the tar, unpacked.
    """

    name: str
    diff_id: str
    open: Callable[[], AbstractContextManager[IO[bytes]]]


@dataclass(frozen=True, kw_only=True)
class ImageFile:
    """The image, its layers, the lowest first, and where it was read from."""

    path: Path
    facts: ImageFacts
    layers: tuple[LayerFile, ...]


class _Blobs:
    """Files by name, of a tar or of a folder; links lead to others of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._tar: tarfile.TarFile | None = None
        self._members: dict[str, tarfile.TarInfo] = {}

    def index(self) -> None:
        """Raises what tarfile does."""
        if self.path.is_dir():
            return
        self._tar = tarfile.open(self.path, mode="r:*", tarinfo=BoundedHeader)  # noqa: SIM115 - `close` does
        for number, member in enumerate(self._tar):
            if number > _MOST_BLOBS:
                raise ValueError("it holds more files than an image has")
            self._members[posixpath.normpath(member.name)] = member

    def close(self) -> None:
        if self._tar:
            self._tar.close()

    def __contains__(self, name: str) -> bool:
        return self._inside(name).is_file() if self._tar is None else posixpath.normpath(name) in self._members

    def _inside(self, name: str) -> Path:
        """A file of the folder. Raises ValueError where a name leads elsewhere."""
        place = self.path / name
        if os.path.isabs(name) or ".." in Path(name).parts or place.is_symlink():  # noqa: PTH117 - of a tar, not a path
            raise ValueError(f"{name!r} leads out of it")
        return place

    def open(self, name: str) -> IO[bytes]:
        if self._tar is None:
            return self._inside(name).open("rb")
        member = self._members[posixpath.normpath(name)]
        for _ in range(_MOST_LINKS):  # Docker before 25 links a layer that is there twice
            if not (member.issym() or member.islnk()):
                break
            folder = posixpath.dirname(member.name) if member.issym() else ""
            member = self._members[posixpath.normpath(posixpath.join(folder, member.linkname))]
        content = self._tar.extractfile(member)
        if content is None:
            raise ValueError(f"{name} is no file")
        return content

    def document(self, name: str) -> Any:
        return json.loads(self.text(name))

    def text(self, name: str) -> bytes:
        with self.open(name) as stream:
            found = stream.read(_DOCUMENT_LIMIT + 1)
        if len(found) > _DOCUMENT_LIMIT:
            raise ValueError(f"{name} is larger than a document of an image")
        return found

    def by_digest(self, digest: str) -> bytes:
        """A document whose digest is this one."""
        found = self.text(_blob(digest))
        if hashlib.sha256(found).hexdigest() != digest[7:]:
            raise ValueError(f"{digest} has other content than its name says")
        return found


@contextmanager
def open_image(path: Path) -> Iterator[ImageFile]:
    """The one image in a file or folder.

    Raises:
        UsageError: it cannot be read, holds no image, or several.
    """
    blobs = _Blobs(path)
    with closing(blobs):
        try:
            blobs.index()
            found = _read(blobs)
        except OSError as error:
            raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from None
        except RecursionError:
            raise UsageError(
                f"{path}: is no image as docker save or OCI have it: nested too deep", remedy=_NOT_ONE
            ) from None
        except (tarfile.TarError, EOFError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise UsageError(
                f"{path}: is no image as docker save or OCI have it: {_said(error)}", remedy=_NOT_ONE
            ) from None
        yield found


def _read(blobs: _Blobs) -> ImageFile:
    if "manifest.json" in blobs:
        return _docker(blobs)
    if "index.json" in blobs:
        return _oci(blobs)
    raise UsageError(f"{blobs.path}: holds no image: neither manifest.json nor index.json", remedy=_NOT_ONE)


def _said(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error) or type(error).__name__


def _blob(digest: str) -> str:
    if not _DIGEST.fullmatch(digest):
        raise ValueError(f"{digest!r} is no sha256 digest")
    return "blobs/" + digest.replace(":", "/")


def _docker(blobs: _Blobs) -> ImageFile:
    manifests = blobs.document("manifest.json")
    if len(manifests) != 1:
        names = ", ".join(str((one.get("RepoTags") or ["one without a name"])[0]) for one in manifests)
        raise UsageError(f"{blobs.path}: holds {len(manifests)} images: {names}", remedy=_NOT_ONE)
    manifest = manifests[0]
    config = blobs.text(manifest["Config"])
    tags = manifest.get("RepoTags") or [str(blobs.path)]
    return _image(blobs, str(tags[0]), config, [str(one) for one in manifest["Layers"]])


def _oci(blobs: _Blobs) -> ImageFile:
    described = _chosen(blobs, blobs.document("index.json"))
    manifest = json.loads(blobs.by_digest(described["digest"]))
    names = described.get("annotations") or {}
    name = names.get("io.containerd.image.name") or names.get("org.opencontainers.image.ref.name") or str(blobs.path)
    config = blobs.by_digest(manifest["config"]["digest"])
    return _image(blobs, str(name), config, [_blob(one["digest"]) for one in manifest["layers"]])


def _chosen(blobs: _Blobs, index: Document) -> Document:
    """The manifest of the one image, or of the platform that this machine has; attestations are none."""
    found: list[Document] = []
    for one in index["manifests"]:
        if str(one.get("mediaType", "")).endswith(("image.index.v1+json", "manifest.list.v2+json")):
            nested = json.loads(blobs.by_digest(one["digest"]))
            found += [{**inner, "annotations": one.get("annotations")} for inner in nested["manifests"]]
        else:
            found.append(one)
    images = [one for one in found if _platform(one) != "unknown/unknown"]
    own = f"linux/{ARCHITECTURES.get(platform.machine(), platform.machine())}"
    fitting = images if len(images) == 1 else [one for one in images if _platform(one) == own]
    if len(fitting) != 1:
        names = ", ".join(_platform(one) or "one without a platform" for one in images)
        raise UsageError(f"{blobs.path}: holds {len(images)} images: {names or 'none'}", remedy=_NOT_ONE)
    return fitting[0]


def _platform(described: Document) -> str:
    told = described.get("platform") or {}
    return f"{told.get('os')}/{told.get('architecture')}" if told else ""


def _image(blobs: _Blobs, reference: str, raw: bytes, layers: list[str]) -> ImageFile:
    config = json.loads(raw)
    diff_ids = [str(one) for one in config["rootfs"]["diff_ids"]]
    if len(diff_ids) != len(layers):
        raise ValueError(f"its configuration names {len(diff_ids)} layers, and it has {len(layers)}")
    return ImageFile(
        path=blobs.path,
        facts=_facts(reference, "sha256:" + hashlib.sha256(raw).hexdigest(), config, diff_ids),
        layers=tuple(
            LayerFile(name=name, diff_id=diff_id, open=partial(_unpacked, blobs, name))
            for name, diff_id in zip(layers, diff_ids, strict=True)
        ),
    )


def _facts(reference: str, digest: str, whole: Document, diff_ids: list[str]) -> ImageFacts:
    """As an engine tells them of the same image."""
    return ImageFacts(
        reference=reference,
        digest=digest,
        os=str(whole.get("os", "")),
        architecture=str(whole.get("architecture", "")),
        variant=str(whole.get("variant") or ""),
        size=0,
        **of_config(whole.get("config") or {}),
        layers=tuple(diff_ids),
        history=tuple(
            Step(
                created=_seconds(one.get("created")),
                command=str(one.get("created_by") or "")[:65_536],
                empty=bool(one.get("empty_layer")),
            )
            for one in whole.get("history") or ()
        ),
    )


def _seconds(moment: Any) -> int:
    """RFC 3339, with as many digits of a second as its writer liked."""
    plain = re.sub(r"\.\d+", "", str(moment or "")).replace("Z", "+00:00")
    try:
        return int(datetime.fromisoformat(plain).timestamp())
    except ValueError:
        return 0


@contextmanager
def _unpacked(blobs: _Blobs, name: str) -> Iterator[IO[bytes]]:
    """A layer's tar: plain, gzip or zstd by its first bytes, for media types are not always told."""
    with blobs.open(name) as content:
        buffered = io.BufferedReader(content, 1 << 20)  # type: ignore[type-var]  # any raw binary file
        start = buffered.peek(4)[:4]
        if start.startswith(_GZIP):
            with gzip.GzipFile(fileobj=buffered) as stream:
                yield stream  # type: ignore[misc]  # it reads as one
        elif start == _ZSTD:
            with ZstdDecompressor().stream_reader(buffered, read_across_frames=True) as stream:
                yield stream
        else:
            yield buffered

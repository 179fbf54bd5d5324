"""Reading an image archive for what it holds of distributions: metadata, and hashes of files, as one tree.

A blob comes before anything says which layer it is, so that each is kept by itself and all are merged at the end.
Bounded as `saved.py` is: in number of entries, and in bytes of what is kept whole.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, Final

from imgcheck.engines.saved import Archive, BoundedHeader, Stream
from imgcheck.errors import CollectorError
from imgcheck.facts.contents import Contents, File
from imgcheck.facts.layers import Layer

_ENTRIES: Final = 2_000_000
_TEXT_LIMIT: Final = 16 * 2**20
_TEXTS_LIMIT: Final = 512 * 2**20
_TEXTS: Final = frozenset({"METADATA", "PKG-INFO", "RECORD"})
_BLOCK: Final = 2**20
_WHITEOUT: Final = ".wh."
_OPAQUE: Final = ".wh..wh..opq"


def read_contents(chunks: Iterable[bytes], roots: tuple[str, ...]) -> Contents:
    """The merged tree of the one image in an archive.

    Raises:
        CollectorError: it is no image archive, is cut short, or holds more than anyone's image does.
    """
    stream = Stream(chunks)
    archive = _Whole(roots=tuple(f"{one.strip('/')}/" for one in roots if one.strip("/")))
    try:
        archive.fill(stream)
        return archive.merged(stream.count)
    except RecursionError:
        raise CollectorError("the layers cannot be read: a document is nested too deep") from None
    except (tarfile.TarError, EOFError, ValueError, KeyError, TypeError, IndexError) as error:
        raise CollectorError(f"the layers cannot be read: {str(error) or type(error).__name__}") from None


@dataclass
class _Tree:
    """One layer; hard links are followed at once, for they lead to what came before."""

    files: dict[str, File] = field(default_factory=dict)
    texts: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)
    emptied: list[str] = field(default_factory=list)
    folders: set[str] = field(default_factory=set)


@dataclass
class _Whole(Archive):
    roots: tuple[str, ...] = ()
    trees: list[_Tree] = field(default_factory=list)
    entries: int = 0
    kept_bytes: int = 0
    hashed: int = 0

    def _layer(self, chunks: Iterator[bytes]) -> Layer:
        """Its step is its place among the trees, until the manifest tells which layer it is."""
        tree = _Tree()
        with tarfile.open(fileobj=Stream(chunks), mode="r|*", tarinfo=BoundedHeader) as tar:
            for member in tar:
                self._take(tree, tar, member)
                tar.members = []  # type: ignore[attr-defined]  # it would remember every member
        self.trees.append(tree)
        return Layer(step=len(self.trees) - 1)

    def _take(self, tree: _Tree, tar: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        path = posixpath.normpath(member.name).lstrip("/")
        folder, name = posixpath.split(path)
        if name == _OPAQUE:
            tree.emptied.append(folder)
        elif name.startswith(_WHITEOUT):
            tree.removed.append(posixpath.join(folder, name[len(_WHITEOUT) :]))
        elif member.issym():
            tree.links[path] = member.linkname
        elif member.islnk():
            self._copy(tree, posixpath.normpath(member.linkname).lstrip("/"), path)
        elif member.isreg():
            if not self._matters(path):
                return
            opened = tar.extractfile(member)
            assert opened is not None
            self._keep(tree, path, opened, member.size)
        else:
            if member.isdir():
                return
            tree.removed.append(path)  # a device or a pipe in the place of a file
            return
        self.entries += 1
        if self.entries > _ENTRIES:
            raise ValueError(f"more than {_ENTRIES:,} files of distributions")

    def _matters(self, path: str) -> bool:
        return (
            "-packages/" in path
            or f"{path}/".startswith(self.roots)
            or "-info" in path
            or posixpath.basename(path).startswith(("python", "pyvenv.cfg"))
        )

    @staticmethod
    def _copy(tree: _Tree, source: str, path: str) -> None:
        if source in tree.files:
            tree.files[path] = tree.files[source]
        if source in tree.texts:
            tree.texts[path] = tree.texts[source]

    def _keep(self, tree: _Tree, path: str, content: IO[bytes], size: int) -> None:
        digest = hashlib.sha256()
        folder, name = posixpath.split(path)
        wanted = (name in _TEXTS and folder.endswith("-info")) or name.endswith(".egg-info")
        kept, first = bytearray(), b""
        while block := content.read(_BLOCK):
            digest.update(block)
            first = first or block[:2]
            if wanted and len(kept) < _TEXT_LIMIT:
                kept += block
        self.hashed += size
        tree.files[path] = File(digest.hexdigest(), size, script=first == b"#!")
        if wanted:
            self.kept_bytes += len(kept)
            if self.kept_bytes > _TEXTS_LIMIT:
                raise ValueError(f"more than {_TEXTS_LIMIT:,} bytes of metadata")
            tree.texts[path] = bytes(kept)

    def merged(self, count: int) -> Contents:
        """In the manifest's order; what a layer takes away is gone before its own files come."""
        (manifest,) = json.loads(self.documents["manifest.json"])
        whole = _Tree()
        for name in manifest["Layers"]:
            path = posixpath.normpath(name)
            number = self.blobs[self.links.get(path, path)].step
            assert number is not None
            _lay(whole, self.trees[number])
        return Contents(
            files=whole.files, texts=whole.texts, links=whole.links, bytes_read=count, bytes_hashed=self.hashed
        )


def _lay(below: _Tree, above: _Tree) -> None:
    gone = {*above.removed, *above.links, *above.files}
    emptied = set(above.emptied)
    for kind in (below.files, below.texts, below.links):
        for path in [one for one in kind if _is_gone(one, gone, emptied)]:
            del kind[path]
    below.files.update(above.files)
    below.texts.update(above.texts)
    below.links.update(above.links)


def _is_gone(path: str, gone: set[str], emptied: set[str]) -> bool:
    if path in gone:
        return True
    while path:
        path = posixpath.dirname(path)
        if path in emptied or (path in gone and path):
            return True
    return False

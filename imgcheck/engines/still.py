"""A tree of files in place of a container: what needs no running is told, by the collector under this Python.

The collector reads; no program of the tree is started, and no link leads out of it.
"""

from __future__ import annotations

import json
import os
import posixpath
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from imgcheck.collector.rooted import Owned, Root
from imgcheck.drafts import room_for
from imgcheck.engines.engine import ContainerSpec, Executable
from imgcheck.engines.image_file import ImageFile
from imgcheck.engines.local import LocalContainer, LocalRunner
from imgcheck.engines.saved import read_saved
from imgcheck.engines.unpacking import Unpacked
from imgcheck.errors import CollectorError, UnsuitableImageError, UntoldError
from imgcheck.facts.layers import LayerFacts
from imgcheck.facts.model import ImageFacts

NEEDS_ENGINE: Final = "it needs an engine: nothing is run of what is only files"
JOBS: Final = frozenset({"inventory", "files", "surroundings", "statements", "native", "os-packages"})
"""Those that only read."""
_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""What engines set where an image names none."""
_BLOCK: Final = 1 << 20
_ACCOUNTS_LIMIT: Final = 1 << 22


@dataclass(frozen=True, kw_only=True)
class _Account:
    """A user of the tree: uid, gids, the first one its own, and home."""

    uid: int
    gids: tuple[int, ...]
    home: str


@contextmanager
def unpacked(file: ImageFile) -> Iterator[tuple[ImageFacts, StillRunner]]:
    """The image with its size, and a runner over its files, which are gone afterwards.

    Raises:
        UsageError: a layer is damaged, or the files do not fit anywhere.
        HostError: no folder can be made for them.
        UnsuitableImageError: the image is for another operating system.
    """
    if file.facts.os != "linux":
        raise UnsuitableImageError(f"{file.facts.reference} is for {file.facts.os}; imgcheck looks into Linux images")
    with room_for("the image's files") as folder:
        tree, table = folder / "tree", folder / "owned.json"
        tree.mkdir()
        files = Unpacked(tree)
        for layer in file.layers:
            files.add(layer)
        table.write_text(json.dumps(files.owned), "utf-8")
        image = file.facts.model_copy(update={"size": files.size})
        yield image, StillRunner(image, tree, files.owned, table, file.path)


class StillRunner:
    """The Runner protocol over a tree.

    Args:
        image: whose tree it is.
        folder: the tree.
        owned: owners and modes, where the folder does not have them.
        table: the same as a file.
        saved: what its layers were read from.
    """

    def __init__(
        self,
        image: ImageFacts,
        folder: Path,
        owned: Mapping[str, Owned],
        table: Path | None = None,
        saved: Path | None = None,
    ) -> None:
        self._image = image
        self._root = Root(str(folder))
        self._owned = owned
        self._table = table
        self._saved = saved
        self._runner = LocalRunner()

    def find_executable(self, _image: ImageFacts, names: tuple[str, ...]) -> Executable:
        folders = self._variables().get("PATH", "").split(":")
        candidates = [
            name if name.startswith("/") else posixpath.join(folder, name)
            for name in names
            for folder in folders
            if folder.startswith("/") or name.startswith("/")
        ]
        dangling: list[tuple[str, str]] = []
        for path in dict.fromkeys(candidates):
            try:
                link, real = self._root.real(path, follow=False), self._root.real(path)
            except OSError:  # links in a circle
                continue
            if Path(self._root.folder + real).is_file():
                if self._mode(real) & 0o111:
                    return Executable(path, tuple(dangling))
            elif Path(self._root.folder + link).is_symlink():
                dangling.append((path, real))
        return Executable(None, tuple(dangling))

    def layers(self, _image: ImageFacts) -> LayerFacts:
        if self._saved is None or not self._saved.is_file():
            raise CollectorError("no layers are told of a folder")
        with self._saved.open("rb") as stream:
            return read_saved(iter(partial(stream.read, _BLOCK), b""))

    def close(self) -> None:
        """Each run ends what it started."""

    @contextmanager
    def run(self, spec: ContainerSpec) -> Iterator[LocalContainer]:
        request = json.loads(spec.stdin)
        if request["job"] not in JOBS:
            raise UntoldError(NEEDS_ENGINE)
        account = self._account(spec.user or self._image.user)
        request["root"] = {
            "folder": self._root.folder,
            "owned": str(self._table or ""),
            "user": [account.uid, *account.gids],
            "workdir": spec.workdir or self._image.workdir or "/",
            "variables": {"HOME": account.home, "HOSTNAME": spec.hostname or "", **self._variables(), **spec.env},
        }
        here = ContainerSpec(
            image="",
            command=(sys.executable, *spec.command[1:]),
            files=spec.files,
            stdin=json.dumps(request).encode(),
        )
        with self._runner.run(here) as container:
            yield container

    def _mode(self, real: str) -> int:
        known = self._owned.get(real)
        return known[0] if known else os.stat(self._root.folder + real).st_mode  # noqa: PTH116 - text paths here

    def _variables(self) -> dict[str, str]:
        told = dict(one.partition("=")[::2] for one in self._image.env)
        return {"PATH": _PATH, **told}

    def _account(self, user: str) -> _Account:
        """Of "name", "uid", "name:group" or "uid:gid", by the tree's own passwd and group.

        Raises:
            UnsuitableImageError: there is no such user or group.
        """
        name, _, group = user.partition(":")
        passwd, groups = self._rows("/etc/passwd", 7), self._rows("/etc/group", 4)
        row = next((one for one in passwd if name in (one[0], one[2])), None) if name else None
        if name and row is None and not name.isdigit():
            raise UnsuitableImageError(f"{self._image.reference} has no user {name!r}")
        uid = int(row[2]) if row else int(name or 0)
        row = row or next((one for one in passwd if one[2] == str(uid)), None)
        gid = next((one[2] for one in groups if group in (one[0], one[2])), group) if group else row[3] if row else "0"
        if not gid.isdigit():
            raise UnsuitableImageError(f"{self._image.reference} has no group {gid!r}")
        further = [int(one[2]) for one in groups if row and row[0] in one[3].split(",")] if not group else []
        return _Account(uid=uid, gids=(int(gid), *further), home=(row[5] if row else "") or "/")

    def _rows(self, path: str, fields: int) -> list[list[str]]:
        try:
            with Path(self._root.host(path)).open(encoding="utf-8", errors="replace") as file:
                rows = [line.rstrip("\n").split(":") for line in file.read(_ACCOUNTS_LIMIT).splitlines()]
        except OSError:
            return []
        return [row for row in rows if len(row) == fields and row[2].isdigit()]

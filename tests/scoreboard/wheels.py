"""A folder of wheels: each distribution is downloaded once, by the host's pip, and so as the host is configured."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import Version

from tests.scoreboard.case import name_of

_GLIBC: Final = {"bullseye": 31, "bookworm": 36, "trixie": 41}
PYTHONS: Final = {"bullseye": "3.9", "bookworm": "3.11", "trixie": "3.13"}
BuildFromSource = Callable[[str, Path], None]


class WheelError(Exception):
    """A wheel cannot be had."""


@dataclass(frozen=True)
class Wheels:
    """The wheels for one root image.

    Args:
        folder: where they are kept.
        root: the Debian release, which settles Python and C library.
        build: makes the wheel of a pinned distribution from its source, into a folder.
    """

    folder: Path
    root: str
    build: BuildFromSource
    _lock: threading.Lock = field(default_factory=threading.Lock, compare=False)

    def of(self, pins: Iterable[str], source: Iterable[str]) -> tuple[Path, ...]:
        """A wheel for each pin, downloaded or built where it is not there yet.

        Raises:
            WheelError: pip, or the build, could not make one.
        """
        wanted = tuple(pins)
        built = {canonicalize_name(one) for one in source}
        with self._lock:
            missing = [one for one in wanted if not self._find(one)]
            download = [one for one in missing if name_of(one) not in built]
            for batch in batches(download):
                self._download(batch)
            for one in missing:
                if name_of(one) in built:
                    self.build(one, self.folder)
            return tuple(self._must_find(one) for one in wanted)

    def _must_find(self, pin: str) -> Path:
        found = self._find(pin)
        if not found:
            raise WheelError(f"{pin}: no wheel for {self.root} came; is it source alone? Then list it under 'source'")
        return found

    def _find(self, pin: str) -> Path | None:
        usable = tags(self.root)
        named = f"{name_of(pin).replace('-', '_')}-".lower()
        for path in self.folder.glob("*.whl"):
            if not path.name.lower().replace(".", "_").startswith(named.replace(".", "_")):
                continue
            name, version, _, found = parse_wheel_filename(path.name)
            fits = Requirement(pin).specifier.contains(version, prereleases=True)
            if name == name_of(pin) and fits and found & usable:
                return path
        return None

    def _download(self, pins: list[str]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
            command += ["--only-binary=:all:", "--python-version", PYTHONS[self.root], "--implementation", "cp"]
            command += [f"--platform={one}" for one in platforms(self.root)]
            done = subprocess.run([*command, *pins], capture_output=True, text=True, check=False)
            if done.returncode:
                raise WheelError(f"pip download: {done.stderr.strip()[-2000:]}")
            for path in Path(folder).iterdir():
                path.rename(self.folder / path.name)


def platforms(root: str) -> tuple[str, ...]:
    """The platform tags that an image on x86-64 takes, the newest first (PEP 600)."""
    newer = [f"manylinux_2_{minor}_x86_64" for minor in range(_GLIBC[root], 4, -1)]
    return (*newer, "manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64", "linux_x86_64")


def tags(root: str) -> frozenset[Tag]:
    """The wheel tags that an image's Python takes."""
    major, minor = Version(PYTHONS[root]).release[:2]
    known = platforms(root)
    own = cpython_tags((major, minor), platforms=known)
    return frozenset([*own, *compatible_tags((major, minor), f"cp{major}{minor}", known)])


def batches(pins: Iterable[str]) -> list[list[str]]:
    """The pins in as few lists as can be, no list with two versions of a distribution: pip takes one at a time."""
    found: list[list[str]] = []
    for pin in pins:
        for batch in found:
            if name_of(pin) not in map(name_of, batch):
                batch.append(pin)
                break
        else:
            found.append([pin])
    return found


def link(wheels: Iterable[Path], folder: Path) -> None:
    """The wheels in a folder of their own, so that a build's cache depends on these alone."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in wheels:
        target = folder / path.name
        if not target.exists():
            os.link(path, target)

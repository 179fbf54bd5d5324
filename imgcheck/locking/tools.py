"""pip-tools, or uv, as wheels that suit the base's Python, fetched once by this machine's own pip and kept."""

from __future__ import annotations

import hashlib
import shutil
import sys
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from platformdirs import user_cache_path

from imgcheck import process
from imgcheck.build.failure import is_unanswered
from imgcheck.drafts import draft_folder
from imgcheck.errors import RegistryOutOfReachError, UsageError
from imgcheck.facts.model import Inventory

Resolver = Literal["pip-tools", "uv"]
_WANTED: Final[Mapping[Resolver, tuple[str, ...]]] = {
    "pip-tools": ("pip-tools>=7.4", "pip"),
    "uv": ("uv>=0.5", "packaging"),
}
_UNUSED: Final = ("setuptools-", "wheel-")
"""Required by pip-tools for environments without build isolation, which is never left out here."""


def tools_for(inventory: Inventory, resolver: Resolver, cache: Path | None) -> dict[str, bytes]:
    """The wheels for a base's own Python; errors as `tool_wheels`."""
    interpreter = inventory.interpreter
    return tool_wheels(resolver, interpreter.version, interpreter.markers["platform_machine"], cache)


def compiled_at(image: str, python: str, wheels: Mapping[str, bytes], cache: Path | None) -> Path:
    """Where the byte code of tools is kept that the Python of an image (by digest) wrote: for that image alone."""
    mark = hashlib.sha256(repr((image, python, sorted(wheels))).encode()).hexdigest()[:16]
    return (cache or user_cache_path("imgcheck")) / "tools" / "compiled" / f"{mark}.zip"


def tool_wheels(resolver: Resolver, python: str, machine: str, cache: Path | None = None) -> dict[str, bytes]:
    """Wheels by file name.

    Args:
        resolver: which tool.
        python: the base's version, "3.11.7".
        machine: the base's platform.machine(), as uv is a program.
        cache: where they are kept.

    Raises:
        RegistryOutOfReachError: no index answered.
        UsageError: there are none for that Python.
    """
    minor = ".".join(python.split(".")[:2])
    wanted = _WANTED[resolver]
    mark = hashlib.sha256(repr((wanted, minor, machine)).encode()).hexdigest()[:12]
    folder = (cache or user_cache_path("imgcheck")) / "tools" / f"{resolver}-{minor}-{mark}"
    if folder.is_dir() and not all(map(is_whole, folder.glob("*.whl"))):
        shutil.rmtree(folder)
    if not folder.is_dir():
        _fetch(resolver, wanted, minor, machine, folder)
    wheels = (path for path in sorted(folder.glob("*.whl")) if not path.name.startswith(_UNUSED))
    return {path.name: path.read_bytes() for path in wheels}


def is_whole(archive: Path) -> bool:
    """Whether a zip archive is as it was written: a disk that was full, or a machine that fell, leaves it damaged."""
    try:
        with zipfile.ZipFile(archive) as opened:
            return opened.testzip() is None
    except (OSError, zipfile.BadZipFile, zlib.error, EOFError):
        return False


def _fetch(resolver: Resolver, wanted: tuple[str, ...], minor: str, machine: str, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with draft_folder(folder.parent) as draft:
        platforms = [f"manylinux2014_{machine}", f"manylinux_2_28_{machine}", f"musllinux_1_1_{machine}"]
        options = ["--only-binary=:all:", "--dest", str(draft), "--python-version", minor, "--implementation", "cp"]
        options += [f"--platform={one}" for one in (*platforms, "any")] if resolver == "uv" else []
        command = (sys.executable, "-m", "pip", "download", "--quiet", *options, *wanted)
        done = process.run(command, env={"PIP_CONSTRAINT": "", "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
        if done.exit_code:
            raise _refusal(resolver, minor, done)
        made = draft / "whole"
        made.mkdir()
        for path in draft.glob("*.whl"):
            path.rename(made / path.name)
        if not folder.is_dir():  # another run may have been quicker
            made.rename(folder)


def _refusal(resolver: Resolver, minor: str, done: process.Completed) -> Exception:
    tail = "\n".join(done.output.splitlines()[-12:])
    if is_unanswered(done.output):
        return RegistryOutOfReachError(
            f"{resolver} for Python {minor} could not be fetched: no index answered",
            remedy="run it again when an index answers",
            details=tail,
        )
    return UsageError(f"there is no {resolver} for Python {minor}", remedy="try --resolver uv", details=tail)

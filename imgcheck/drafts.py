"""Files and folders that are there for a moment. A file is replaced whole, or is as it was.

Each draft's name tells the run that made it, so that what a killed run left can be found and removed.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from imgcheck.errors import HostError
from imgcheck.run_mark import PATTERN, RunMark, parse_mark, this_run

_NAME: Final = re.compile(rf"\.?imgcheck-({PATTERN})-\w{{8}}")


def write_whole(path: Path, content: bytes, *, mode: int = 0o666, durable: bool = True) -> None:
    """Writes beside the file and renames. A pipe or a device is written to as it is.

    Args:
        path: the file; the end of a link.
        content: all of it.
        mode: of a file that is new; less what umask takes.
        durable: whether it must survive the machine's sudden end.

    Raises:
        OSError: the disk is full, the folder is gone or read-only.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():  # a rename would replace the device itself
        target.write_bytes(content)
        return
    for stale in drafts_of_killed_runs(target.parent):
        remove(stale)
    beside = draft(target, content, mode=mode, durable=durable)
    try:
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def draft(target: Path, content: bytes, *, mode: int = 0o666, durable: bool = True) -> Path:
    """The content beside its target, with the mode that the target has. Raises as `write_whole`."""
    beside = target.with_name(f".{_new_name()}")
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
            stream.write(content)
            stream.flush()
            if durable:
                os.fsync(stream.fileno())
        with suppress(FileNotFoundError):
            beside.chmod(target.stat().st_mode & 0o7777)
    except BaseException:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise
    return beside


@contextmanager
def draft_folder(parent: Path | None = None) -> Iterator[Path]:
    """A folder as long as the context lasts; among the system's temporary files unless told otherwise.

    Raises:
        OSError: it cannot be made.
    """
    name = _new_name()
    with TemporaryDirectory(prefix=name[:-8], dir=parent, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextmanager
def room_for(what: str) -> Iterator[Path]:
    """A draft folder among the system's temporary files for what a run cannot do without.

    Raises:
        HostError: it cannot be made.
    """
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(draft_folder())
        except OSError as error:
            raise no_room(what, error) from None
        yield folder


def no_room(what: str, error: OSError) -> HostError:
    """What is told where something does not fit, or must not be written, among temporary files."""
    return HostError(
        f"{what} cannot be written among this machine's temporary files: {error.strerror or error}",
        remedy="make room, or name a folder that can be written to in TMPDIR",
    )


def _new_name() -> str:
    return f"imgcheck-{this_run()}-{secrets.token_hex(4)}"


def maker_of(path: Path) -> RunMark | None:
    """The run that made a draft; None for what is no draft of ours."""
    match = _NAME.fullmatch(path.name)
    return parse_mark(match[1]) if match else None


def drafts_of_killed_runs(folder: Path, now: float = 0, patience: float = float("inf")) -> tuple[Path, ...]:
    """What runs that are over left in a folder, which may be none."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if "imgcheck-" in entry.name]
    except OSError:
        return ()
    found = []
    for name in sorted(names):
        maker = maker_of(Path(name))
        if maker and maker.is_over(now, patience):
            found.append(folder / name)
    return tuple(found)


def size_of(path: Path) -> int:
    """Bytes of a draft; links are not followed."""
    inside = (Path(folder, name) for folder, _, names in os.walk(path) for name in names)
    sizes = 0
    for one in (path, *inside):
        with suppress(OSError):
            sizes += one.lstat().st_size
    return sizes


def remove(path: Path) -> bool:
    """Whether it is gone; another run may have been quicker, and it may be another user's."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    return not path.exists()

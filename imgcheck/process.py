"""The only caller of subprocess: argument lists, never a shell; what was run is shown when it fails."""

from __future__ import annotations

import ctypes
import logging
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from imgcheck.masking import MASK, shown_command

_LOG: Final = logging.getLogger(__name__)


def _dies_with_us() -> Callable[[], object] | None:
    """Called in a child before it becomes the program: it is ended when this process is killed (prctl(2), Linux)."""
    if sys.platform != "linux":
        return None
    call = getattr(ctypes.CDLL(None), "prctl", None)
    return partial(call, _SET_PDEATHSIG, int(signal.SIGTERM)) if call else None


_SET_PDEATHSIG: Final = 1
_DIES_WITH_US: Final = _dies_with_us()


@dataclass(frozen=True, kw_only=True)
class Completed:
    """A process that ended. `output` holds both streams as they came."""

    command: tuple[str, ...]
    exit_code: int
    output: str

    @property
    def shown(self) -> str:
        return shlex.join(self.command)


def run(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    stdin: str | None = None,
    on_line: Callable[[str], None] | None = None,
) -> Completed:
    """Run a process to its end; a failure is an exit code, not an exception.

    Args:
        command: program and arguments.
        env: variables added to this process's own.
        cwd: working folder.
        stdin: text for the process to read; nothing unless given.
        on_line: called with each line of output as it comes, without its end.

    Raises:
        FileNotFoundError: there is no such program.
    """
    lines: list[str] = []
    with _started(command, env=env, cwd=cwd, stdin=stdin) as process:
        assert process.stdout is not None
        for raw in process.stdout:
            line = raw.rstrip("\r\n")
            lines.append(line)
            if on_line:
                on_line(line)
    return Completed(command=tuple(command), exit_code=process.returncode, output="\n".join(lines))


@contextmanager
def _started(
    command: Sequence[str], *, env: Mapping[str, str] | None, cwd: Path | None, stdin: str | None
) -> Iterator[subprocess.Popen[str]]:
    """The process, ended on every way out: an interrupt reaches it too, and waits for it."""
    _LOG.debug("$ %s", " ".join(_masked(command)))
    process = subprocess.Popen(
        list(command),
        stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=None if env is None else {**os.environ, **env},
        cwd=cwd,
        text=True,
        encoding="utf-8",
        errors="replace",
        preexec_fn=_DIES_WITH_US,  # noqa: PLW1509 - one call of the C library, loaded before; it takes no lock
    )
    try:
        if process.stdin is not None:
            process.stdin.write(stdin or "")
            process.stdin.close()
        yield process
        process.wait()
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if process.stdout is not None:
            process.stdout.close()


@contextmanager
def held(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A process of a session of its own, with pipes to all three streams; its whole group is killed on every way out.

    Args:
        command: program and arguments.
        env: variables added to this process's own.
        cwd: working folder.

    Raises:
        OSError: the program is not there or cannot be executed, or the working folder is not there.
    """
    _LOG.debug("$ %s", " ".join(_masked(command)))
    with subprocess.Popen(
        list(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **(env or {})},
        cwd=cwd,
        start_new_session=True,
        preexec_fn=_DIES_WITH_US,  # noqa: PLW1509 - one call, and no other thread's lock is taken
    ) as process:
        try:
            yield process
        finally:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            with suppress(OSError):  # what it did not read
                assert process.stdin is not None
                process.stdin.close()


def _masked(command: Sequence[str]) -> Iterator[str]:
    """As it may be shown: without secrets and the values of build arguments."""
    before = ""
    for word in command:
        name, equals, _ = word.partition("=")
        yield f"{name}={MASK}" if before == "--build-arg" and equals else shown_command(shlex.quote(word))
        before = word

"""The server's side of zygotes: processes that hold exactly `import PACKAGE` and are forked for what lies below it.

A module can kill its zygote. It is replaced by the same steps that made it, and everybody else goes on.
"""

from __future__ import annotations

import os
import pkgutil
import select
import subprocess
import threading
import time
from typing import Callable, Sequence

from imgcheck.collector import sweep_family, sweep_proc
from imgcheck.collector.sweep_channel import Answer, Channel, Command
from imgcheck.collector.sweep_family import Family

_PATIENCE = 60.0
_MOST_REPLACEMENTS = 20
_MOST_ROOTS = 1000
# What `python -c` is given. It leaves no name and no warning's trace in __main__, and holds private builtins.
_RUN = (
    "exec({load!r},{{'__name__':'zygote','__builtins__':vars(__builtins__).copy(),"
    "'FRESH':frozenset(__import__('sys').modules),'COMMANDS':{commands!r},'ANSWERS':{answers!r},'KEY':{key!r},"
    "'BYTECODE':{bytecode!r}}})"
)
_LOAD = "with open({path!r},'rb') as file: exec(compile(file.read(),'<zygote>','exec'))"


class ZygoteDied(Exception):  # noqa: N818
    """It gives no answer any more."""


class SweepEnded(RuntimeError):  # noqa: N818
    """The sweep was broken off: nothing may be started any more."""


class ForkFailed(Exception):  # noqa: N818
    """It could not fork: too many processes, or no memory."""


class Zygote:
    """One zygote, of which several workers may ask forks."""

    def __init__(self, family: Family, name: str, make: Callable[[Zygote], None]) -> None:
        self.family = family
        self.name = name
        self.loaded: dict[str, str | None] = {}  # submodules, and their files
        self.threads = 0
        self.users = 0
        self._make = make
        self._lock = threading.Lock()
        self._replaced = 0
        self._most_replacements = _MOST_REPLACEMENTS
        self._channel: Channel | None = None  # None while the process is dead
        self._above: tuple[Zygote, int] | None = None  # what it was forked from, and that one's process then
        self.process: int  # the last one, from `adopt` on

    def adopt(self, process: int, channel: Channel, above: Zygote | None) -> None:
        """Takes over a living process; `above` is the zygote it was forked from, None for a root."""
        self.process, self._channel = process, channel
        self._above = None if above is None else (above, above.process)
        self.family.born(process)

    def fork(self, command: Command) -> tuple[int, int]:
        """The number of the new process, and that of the zygote it came from."""
        with self._lock:
            if self.family.closing:
                raise SweepEnded
            if self._channel is None:
                raise ZygoteDied(self.name)
            kind, *fields = self._ask(command)
            if kind != "forked":
                raise ForkFailed(fields[0])
            return fields[0], self.process

    def reap(self, process: int, zygote: int) -> tuple[int, float] | None:
        """Status and CPU seconds of an ended fork; None where nobody knows."""
        with self._lock:
            if self._channel is not None and self.process == zygote:
                try:
                    kind, *fields = self._ask({"do": "wait", "process": process})
                    return (fields[0], fields[1]) if kind == "ended" and len(fields) == 2 else None
                except ZygoteDied:
                    pass
        return sweep_family.wait(process)  # an orphan is the server's child

    def _ask(self, command: Command) -> Answer:
        try:
            self._living().send(command)
            return self._answer()
        except OSError as error:
            self._lose()
            raise ZygoteDied(f"{self.name}: {error}") from None

    def _living(self) -> Channel:
        assert self._channel is not None, "the caller has looked"
        return self._channel

    def _answer(self) -> Answer:
        channel = self._living()
        poller = select.poll()
        poller.register(channel.answers, select.POLLIN)
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            poller.poll(1000)
            answers, closed = channel.receive()
            if answers:
                return answers[0]
            found = sweep_proc.status(self.process)
            if closed or found is None or found.state in "TtZX":  # stopped, by one of its own children
                raise OSError("it ended")
        raise OSError(f"no answer for {_PATIENCE:.0f} seconds")

    def _lose(self) -> None:
        self._living().close()
        self._channel = None
        sweep_family.end(self.process)
        if self._above is not None:
            above, process = self._above
            above.reap(self.process, process)
        else:
            sweep_family.wait(self.process)
        self.family.gone(self.process)

    def replace(self) -> None:
        """Makes the process again if it is dead. Raises ZygoteDied where that is not to be."""
        with self._lock:
            if self._channel is not None:
                return
            self._replaced += 1
            if self._replaced > self._most_replacements:
                raise ZygoteDied(f"{self.name} died {self._replaced} times")
            self._make(self)

    def take_over(self, other: Zygote) -> None:
        """The process of another handle; the caller holds the lock of this one."""
        self.process, self._channel, self._above = other.process, other._channel, other._above

    def close(self) -> None:
        with self._lock:
            if self._channel is not None:
                self._lose()


class Root(Zygote):
    """A zygote that is a fresh interpreter and nothing more.

    Args:
        bytecode: a folder for compiled sources; None for the interpreter's own way.
    """

    def __init__(
        self, family: Family, python: str, folder: str, flags: Sequence[str] = (), bytecode: str | None = None
    ) -> None:
        super().__init__(family, "", lambda _: self._start())
        self._command = [python, *flags, "-c"]
        self._program = _program(folder)
        self._folder = folder
        self._bytecode = bytecode
        self._most_replacements = _MOST_ROOTS
        self.replace()

    def _start(self) -> None:
        channel = Channel(self._folder)
        errors = os.path.join(self._folder, "start")
        self._spawn(channel, errors)
        try:
            self._answer()
        except OSError as error:
            self._lose()
            with open(errors, "rb") as file:
                said = file.read(2000).decode("utf-8", "replace")
            raise RuntimeError(f"{self._command[0]} did not start ({error}): {said}") from None
        channel.stop_errors()

    def _spawn(self, channel: Channel, errors: str) -> None:
        text = _RUN.format(
            load=_LOAD.format(path=self._program),
            key=channel.key,
            commands=channel.paths["commands"],
            answers=channel.paths["answers"],
            bytecode=self._bytecode,
        )
        with self.family.starting(), open(errors, "wb") as file:
            if self.family.closing:
                raise SweepEnded
            child = subprocess.Popen(
                [*self._command, text],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=file,
                start_new_session=True,
            )
            self.adopt(child.pid, channel, None)
            child.returncode = 0  # it is waited for elsewhere; Popen must not complain


def _program(folder: str) -> str:
    """The zygote's program as a file: the collector itself may be in an archive."""
    path = os.path.join(folder, "zygote")
    if not os.path.exists(path):
        sources = [_source(name) for name in ("zygote_report.py", "zygote.py")]
        with open(path, "wb") as file:
            file.write(b"\n".join(sources))
    return path


def _source(name: str) -> bytes:
    source = pkgutil.get_data("imgcheck.collector", name)
    assert source is not None, "a loader without get_data"
    return source

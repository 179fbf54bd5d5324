"""The server's side of walkers (see zygote_walk.py): one process that many modules are imported in, and its limits."""

from __future__ import annotations

import os
import pkgutil
import time
from typing import Any, Callable, Iterable, NamedTuple, Sequence

from imgcheck.collector import sweep_proc
from imgcheck.collector.sweep_channel import Channel
from imgcheck.collector.sweep_job import Job, Limits, Outcome, Told
from imgcheck.collector.sweep_zygote import ForkFailed, Root, Zygote, ZygoteDied

_TRIES = 5
_LARGEST_COMMAND = 20_000  # bytes of names: a FIFO must take it whole
_LARGEST = 260 << 20  # resident bytes of a walker that goes on, beside those it began with
_FEWEST = 25  # modules of a walker, however large it is
_LOOK_EVERY = 5
_SECONDS_WITH_CHILDREN = 1.0
_START = b"\nbe_plain()\n"
_PROGRAM = ("zygote_walk_errors.py", "zygote_walk_state.py", "zygote_walk.py", "zygote_walk_turns.py")
_HOWS = frozenset(("parents", "before", "own", "touched", "soft", "unknown", "stuck", "failed"))


class UnfitError(Exception):
    """This Python's imports cannot be watched."""


class Turn(NamedTuple):
    """What a walker told of one module."""

    answer: Told
    how: str
    root: str | None
    """Whose failure it is; "" for that of a module that is not there."""
    below: str | None
    """The parent package that fails."""
    met: tuple[str, ...]
    """Suspects that it imported."""
    redo: bool
    damage: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return "error" not in self.answer


class WalkRoot(Root):
    """A bare interpreter whose forks are walkers."""

    def _start(self) -> None:
        self._program = _program(self._folder)
        super()._start()


def _program(folder: str) -> str:
    path = os.path.join(folder, "walker")
    if not os.path.exists(path):
        zygote, start, end = _source("zygote.py").rpartition(_START)
        parts = [_source("zygote_report.py"), zygote]
        parts += [_source(name) for name in _PROGRAM]
        with open(path, "wb") as file:
            file.write(b"\n".join([*parts, start + end]))
    return path


def _source(name: str) -> bytes:
    return pkgutil.get_data("imgcheck.collector", name) or b""


class Walker(Job):
    """One walker.

    Args:
        answer: called with a module, the type and the message of its failure; whether it is the same alone, and whether
            to go on if it is not.
    """

    def __init__(
        self,
        root: Zygote,
        limits: Limits,
        folder: str,
        answer: Callable[[str, str, str], tuple[bool, bool]],
    ) -> None:
        super().__init__(root, [""], limits, folder, keep=True)
        self._answer = answer
        self._pending: list[str] = []
        self._tell: Callable[[str, Turn], None] = lambda _name, _turn: None
        self._count = 0
        self._may_grow = False
        self._start()
        self._size = self.size()

    def _start(self) -> None:
        for _ in range(_TRIES):
            self._outcome = Outcome()
            self._began = False
            self._kills_before = sweep_proc.out_of_memory_kills()
            self._channel = Channel(self._folder)
            try:
                self._process, self._source = self._from.fork(self._command())
            except (ZygoteDied, ForkFailed, OSError) as error:
                self._channel.close()
                if isinstance(error, ZygoteDied):
                    self._from.replace()
                else:
                    time.sleep(0.5)
                continue
            self._family.started(self._process, self._names)
            self._watch()
            if self._outcome.ending == "answered":
                return
            self.close()
            if self._outcome.ending == "unfit":
                break
        raise UnfitError(self._outcome.reason or "no walker could be started")

    def _command(self) -> dict[str, Any]:
        paths = self._channel.paths
        return {
            "do": "fork",
            "key": self._channel.key,
            "commands": paths["commands"],
            "answers": paths["answers"],
            "errors": paths["errors"],
        }

    def walk(self, names: Sequence[str], stuck: Iterable[str], tell: Callable[[str, Turn], None]) -> str:
        """Imports modules in this order and tells of each. Returns why it ended; only after "answered" it can go on."""
        self._tell = tell
        for part in _parts(names):
            self._pending = part[::-1]
            self._outcome.ending = "died"
            self._names[0] = part[0]
            self._channel.send({"do": "walk", "names": part, "stuck": sorted(stuck)})
            self._restart_clock()
            self._watch()
            if self._outcome.ending != "answered":
                break
        return self._outcome.ending

    def become_hub(self, limits: Limits) -> None:
        """Whatever its size, it goes on; and what all others go without should not be lost to a slow disk."""
        self._may_grow = True
        self._limits = limits

    def size(self) -> int:
        """Resident bytes."""
        found = sweep_proc.status(self._process)
        return found.memory if found else 0

    def become_zygote(self, make: Callable[[Zygote], None]) -> Zygote:
        """From now on walkers are forked from it, which know all that it knows; `make` is called when it has died."""
        self._channel.send({"do": "rest"})
        zygote = Zygote(self._family, "walker", make)
        zygote.adopt(self._process, self._channel, self._from)
        self._family.settled(self._process)
        self._channel.stop_errors()
        return zygote

    def close(self) -> None:
        self._finish(self._source)

    def _take(self, kind: object, *fields: Any) -> bool:
        if kind == "started":
            self._began = True
        elif kind == "ask" and len(fields) == 3 and all(isinstance(one, str) for one in fields):
            same, soft = self._answer(*fields)
            self._channel.send({"same": same, "soft": soft})
        elif kind == "told" and self._is_told(fields):
            return self._hear(fields[0], Turn._make([*fields[1:5], tuple(fields[5]), fields[6], tuple(fields[7])]))
        elif kind == "ready" or (kind == "end" and not self._pending):
            self._outcome.ending = "answered"
            return False
        else:
            self._outcome.ending = "unfit" if kind == "unfit" else "trouble"
            self._outcome.reason = str(fields[:1])[:200]
            return False
        self._restart_clock()
        return True

    def _is_told(self, fields: Sequence[Any]) -> bool:
        """The key proves the process, not that its program is still ours."""
        if len(fields) != 8 or not self._pending or fields[0] != self._pending[-1]:
            return False
        _, answer, how, root, below, met, redo, damage = fields
        return (
            isinstance(answer, dict)
            and isinstance(answer.get("side_effects"), dict)
            and how in _HOWS
            and all(one is None or isinstance(one, str) for one in (root, below))
            and isinstance(redo, bool)
            and all(isinstance(one, list) for one in (met, damage))
        )

    def _hear(self, name: str, turn: Turn) -> bool:
        self._pending.pop()
        self._count += 1
        self._tell(name, turn)
        if turn.redo or turn.damage:
            self._outcome.ending = "damaged"
            return False
        self._names[0] = self._pending[-1] if self._pending else ""
        if self._count >= _FEWEST and self._count % _LOOK_EVERY == 0 and self._is_full():
            self._outcome.ending = "full"
            return False
        self._restart_clock()
        return True

    def _is_within_limits(self) -> bool:
        """A module that starts a cluster, say, will be run alone in any case: it is not started twice to its end."""
        if not super()._is_within_limits():
            return False
        long = time.monotonic() - self._clock > _SECONDS_WITH_CHILDREN
        if self._pending and long and sweep_proc.children(self._process):
            self._outcome.ending = "children"
            return False
        return True

    def _is_full(self) -> bool:
        return not self._may_grow and self.size() - self._size > _LARGEST


def _parts(names: Sequence[str]) -> Iterable[list[str]]:
    part: list[str] = []
    size = 0
    for name in names:
        if part and size + len(name) > _LARGEST_COMMAND:
            yield part
            part, size = [], 0
        part.append(name)
        size += len(name.encode("utf-8", "surrogatepass")) + 10
    if part:
        yield part

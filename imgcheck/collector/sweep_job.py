"""One forked process, watched until it has answered or will not: time, memory, death, what it leaves behind."""

from __future__ import annotations

import select
import signal
import time
from typing import Any, Dict

from imgcheck.collector import sweep_family, sweep_proc
from imgcheck.collector.sweep_channel import Channel
from imgcheck.collector.sweep_zygote import ForkFailed, Zygote, ZygoteDied

_TICK = 0.05
_TAIL = 2000
_TRIES = 5
_LONGEST_WAIT = 4  # times the time limit: queueing for a processor is not the module's fault, up to here

Told = Dict[str, Any]  # what a process says of one import


class Limits:
    """Seconds and resident bytes that one module may take; None for any number of bytes."""

    def __init__(self, seconds: float, memory: int | None) -> None:
        self.seconds = seconds
        self.memory = memory


class Outcome:
    """How a process went."""

    def __init__(self) -> None:
        self.answers: list[tuple[str, Told]] = []  # module, and what is told of it
        self.ending = "died"  # or "answered", "timeout", "memory", "trouble"
        self.reason = ""
        self.limit: str | None = None  # of a timeout: "busy" or "idle"
        self.status: int | None = None  # as wait(2) gives it
        self.errors = b""
        self.cpu = 0.0
        self.wall = 0.0
        self.left: list[str] = []
        self.zygote: Zygote | None = None

    def answer(self) -> Told | None:
        return self.answers[-1][1] if self.answers else None


class Job:
    """Imports modules in one fork of a zygote.

    Args:
        keep: whether a successful import of the one module gives a new zygote.
        dear: CPU seconds; where the first of several modules takes less, the others are not imported.
    """

    def __init__(
        self, zygote: Zygote, names: list[str], limits: Limits, folder: str, keep: bool = False, dear: float = 0.0
    ) -> None:
        self._from = zygote
        self._names = names
        self._limits = limits
        self._folder = folder
        self._keep = keep
        self._dear = dear
        self._family = zygote.family
        self._outcome = Outcome()
        self._first: tuple[float, float] | None = None  # CPU and queued seconds, when a module was first looked at

    def run(self) -> Outcome:
        for _ in range(_TRIES):
            outcome = self._outcome = Outcome()
            self._began = False
            self._channel = Channel(self._folder, commands=self._keep)
            try:
                self._run_once()
            except (ZygoteDied, ForkFailed, OSError) as error:
                outcome.ending, outcome.reason = "trouble", str(error)
                self._channel.close()
                if isinstance(error, ZygoteDied):
                    self._from.replace()
                else:
                    time.sleep(0.5)
                continue
            if self._began or outcome.ending in ("timeout", "memory"):
                break
            outcome.ending, outcome.reason = "trouble", "the process ended before it began"
        return self._outcome

    def _run_once(self) -> None:
        paths = self._channel.paths
        command = {
            "do": "fork",
            "names": self._names,
            "keep": self._keep,
            "dear": self._dear,
            "key": self._channel.key,
            "commands": paths.get("commands"),
            "answers": paths["answers"],
            "errors": paths["errors"],
        }
        began = time.monotonic()
        self._kills_before = sweep_proc.out_of_memory_kills()
        self._process, source = self._from.fork(command)
        self._family.started(self._process, self._names)
        try:
            self._watch()
        finally:
            self._outcome.wall = time.monotonic() - began
            answer = self._good_answer()
            if self._keep and answer is not None:
                self._become_zygote(answer)
            else:
                self._finish(source)

    def _good_answer(self) -> Told | None:
        answer = self._outcome.answer() if self._outcome.ending == "answered" else None
        return None if answer is None or "error" in answer else answer

    def _become_zygote(self, answer: Told) -> None:
        zygote = Zygote(self._family, self._names[0], self._make_again)
        zygote.loaded = answer.pop("loaded", {})
        zygote.threads = answer["side_effects"].get("threads", 0)
        zygote.adopt(self._process, self._channel, self._from)
        self._family.settled(self._process)
        self._channel.stop_errors()
        self._outcome.zygote = zygote

    def _make_again(self, zygote: Zygote) -> None:
        outcome = Job(self._from, self._names, self._limits, self._folder, keep=True).run()
        if outcome.zygote is None:
            raise ZygoteDied(f"{zygote.name} could not be imported again")
        zygote.take_over(outcome.zygote)

    def _finish(self, source: int) -> None:
        sweep_family.end(self._process)
        ended = self._from.reap(self._process, source)
        if ended is not None:
            self._outcome.status, self._outcome.cpu = ended
            if self._was_killed_for_memory():
                self._outcome.ending = "memory"
        self._outcome.left = self._family.finished(self._process)
        self._read_errors()
        self._channel.close()

    def _was_killed_for_memory(self) -> bool:
        outcome = self._outcome
        if outcome.ending != "died" or outcome.status != signal.SIGKILL:
            return False
        return sweep_proc.out_of_memory_kills() > self._kills_before

    # ------------------------------------------------------------ watching

    def _watch(self) -> None:
        poller = select.poll()
        poller.register(self._channel.answers, select.POLLIN)
        poller.register(self._channel.errors, select.POLLIN)
        self._restart_clock()
        checked = time.monotonic()
        while True:
            closed = [number for number, event in poller.poll(_TICK * 1000) if not event & select.POLLIN]
            for number in closed:  # or poll would come back at once, again and again
                poller.unregister(number)
            if not self._listen():
                return
            if closed or time.monotonic() - checked >= _TICK:
                checked = time.monotonic()
                if not self._is_within_limits():
                    return

    def _listen(self) -> bool:
        """Takes what is there; whether more can come."""
        self._read_errors()
        answers, _ = self._channel.receive()
        go_on = [self._take(*answer) for answer in answers]  # a list: all are taken
        return all(go_on)

    def _take(self, kind: object, *fields: Any) -> bool:
        if kind == "started":
            self._began = True
            self._restart_clock()
        elif kind == "module" and _is_well_formed(fields, self._names):
            self._restart_clock()
            self._outcome.answers.append((fields[0], fields[1]))
            if len(self._names) == 1:
                self._outcome.ending = "answered"
                return False
        elif kind == "end":
            self._outcome.ending = "answered"
            return False
        else:
            self._outcome.ending, self._outcome.reason = "trouble", str(fields[:1])[:_TAIL]
            return False
        return True

    def _is_within_limits(self) -> bool:
        found = sweep_proc.status(self._process)
        if found is None or found.state in "ZX":
            self._listen()  # what it said last
            return False
        if self._limits.memory and found.memory > self._limits.memory:
            self._outcome.ending = "memory"
            return False
        wall = time.monotonic() - self._clock
        queued = sweep_proc.queued(self._process)
        if self._first is None:
            self._first = found.cpu, queued
        cpu_before, queued_before = self._first
        own = wall - max(0.0, queued - queued_before)
        if own > self._limits.seconds or wall > self._limits.seconds * _LONGEST_WAIT:
            self._outcome.ending = "timeout"
            self._outcome.limit = "busy" if found.cpu - cpu_before > wall / 4 else "idle"
            return False
        return True

    def _restart_clock(self) -> None:
        """Each module has the whole of the limits. Most need so little that nobody looks at their processor time."""
        self._clock = time.monotonic()
        self._first = None

    def _read_errors(self) -> None:
        for _ in range(64):  # then it is the turn of the answers again
            part = self._channel.read_errors()
            if not part:
                return
            self._outcome.errors = (self._outcome.errors + part)[-_TAIL:]


def _is_well_formed(fields: tuple[Any, ...], names: list[str]) -> bool:
    """The key proves the process, not that its program is still ours."""
    return (
        len(fields) == 2
        and fields[0] in names
        and isinstance(fields[1], dict)
        and isinstance(fields[1].get("side_effects"), dict)
    )

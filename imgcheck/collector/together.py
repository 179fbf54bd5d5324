"""Imports modules one after another in one fresh interpreter, and tells with whom the first that fails falls out.

It expects: the interpreter, dotted names in their order, and the seconds that one of them may take. Result: how many
began, what failed, how the process ended, and what was written meanwhile, by module.
A module that fails is imported once more alone, and after fewer and fewer of those before it.
Floor: Python 3.8, Linux.
"""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import subprocess
import time
from typing import Any, Callable, Dict, Sequence

_TICK = 0.2
_SLOWER = 4  # a module may wait for a processor: so many times its seconds, as in the sweep
_TO_END = 10.0  # seconds for what runs at exit
_OUTPUT = 2000  # characters of what one module writes, from its beginning and from its end
_LINE = 1 << 16
_FAILURES = 50
_SEARCHED = 3

# Runs in the fresh interpreter. Nothing is loaded that it has not loaded itself, until something fails.
_PROGRAM = """
import sys
sys.path[:] = [entry for entry in sys.path if entry]
def importing(number, names):
    from posix import write
    for place, name in enumerate(names):
        write(printing, b"\\n%s%d\\n" % (mark, place))
        write(number, b'{"began":%d}\\n' % place)
        try:
            __import__(name)
        except BaseException as error:
            import json, traceback
            try:
                words = str(error)
            except BaseException:
                words = ""
            trace = traceback.format_exc(limit=-8)[-4000:]
            told = {"failed": place, "type": type(error).__name__, "message": words[:2000], "trace": trace}
            write(number, json.dumps(told).encode("ascii") + b"\\n")
    write(printing, b"\\n%s%d\\n" % (mark, len(names)))
    write(number, b'{"done":1}\\n')
number, printing = int(sys.argv[1]), int(sys.argv[2])
mark, names = sys.argv[3].encode("ascii"), sys.argv[4:]
del sys.argv[1:]
importing(number, names)
"""

Facts = Dict[str, Any]


def import_together(python: str, names: Sequence[str], seconds: float) -> Facts:
    """The facts of one order."""
    began = time.monotonic()
    facts = _Run(python, names, seconds).facts()
    deadline = began + 2 * seconds + 4 * (time.monotonic() - began)
    facts["searched"] = []
    for place in _failing(facts, names)[:_SEARCHED]:
        found = _Search(python, names[:place], names[place], seconds).facts(deadline)
        facts["searched"].append(dict(found, module=names[place]))
        if not found["alone"]:
            break  # what fails later may be its doing
    facts["order"] = list(names)
    facts["wall"] = round(time.monotonic() - began, 3)
    return facts


def _failing(facts: Facts, names: Sequence[str]) -> list[int]:
    failed = [one["module"] for one in facts["failures"]]
    failed += [facts["at"]] if facts["ended"] != "done" else []
    return [place for place, name in enumerate(names) if name in failed]


class _Search:
    """Whether a module fails alone; if not, after which of those before it."""

    def __init__(self, python: str, before: Sequence[str], failing: str, seconds: float) -> None:
        self._run: Callable[[Sequence[str]], Facts] = lambda names: _Run(python, names, seconds).facts()
        self._before = before
        self._failing = failing

    def facts(self, deadline: float) -> Facts:
        if self._fails_after([]):
            return {"alone": True, "partner": "", "pair": False}
        fine, failing = 0, len(self._before)
        while failing - fine > 1 and time.monotonic() < deadline:
            middle = (fine + failing) // 2
            if self._fails_after(self._before[:middle]):
                failing = middle
            else:
                fine = middle
        if failing - fine > 1:
            return {"alone": False, "partner": "", "pair": False}  # no time left to tell with whom
        partner = self._before[failing - 1]
        return {"alone": False, "partner": partner, "pair": failing == 1 or self._fails_after([partner])}

    def _fails_after(self, before: Sequence[str]) -> bool:
        facts = self._run([*before, self._failing])
        failed = any(one["module"] == self._failing for one in facts["failures"])
        return failed or (facts["ended"] != "done" and facts["at"] == self._failing)


class _Run:
    """One process, watched to its end."""

    def __init__(self, python: str, names: Sequence[str], seconds: float) -> None:
        self._names = names
        self._seconds = seconds * _SLOWER
        self._place = -1  # what is being imported; len(names) when all have been
        self._written = [b""] * (len(names) + 1)  # by module; the last is of the end
        self._writing = 0  # whose output comes now
        self._mark = secrets.token_hex(8).encode("ascii") + b":"
        self._line = b""
        self._failures: list[Facts] = []
        self._rest = b""
        answers, writing = os.pipe()
        output, printing = os.pipe()
        ends = (writing, printing)
        try:
            self._process = subprocess.Popen(
                [python, "-u", "-X", "faulthandler", "-c", _PROGRAM, *map(str, ends), self._mark, *names],
                stdin=subprocess.DEVNULL,
                stdout=printing,
                stderr=printing,
                pass_fds=ends,
                start_new_session=True,
            )
        finally:
            os.close(writing)
            os.close(printing)
        self._answers, self._output = answers, output
        os.set_blocking(answers, False)
        os.set_blocking(output, False)

    def facts(self) -> Facts:
        try:
            ended = self._watch()
        finally:
            self._end()
        code = self._process.returncode if ended != "timeout" else None
        at = self._names[self._place] if 0 <= self._place < len(self._names) else ""
        return {
            "ended": ended,
            "at": at,
            "signal": -code if code is not None and code < 0 else None,
            "exit_code": code if code is not None and code >= 0 else None,
            "began": min(self._place + 1, len(self._names)),
            "failures": self._failures[:_FAILURES],
            "output": self._told(),
        }

    def _watch(self) -> str:
        """How it ended: "done", "signal", "exit" or "timeout"."""
        poller = select.poll()
        for number in (self._answers, self._output):
            poller.register(number, select.POLLIN)
        self._clock = time.monotonic()
        while True:
            for number, event in poller.poll(_TICK * 1000):
                if not event & select.POLLIN:
                    poller.unregister(number)
            ended = self._process.poll()
            self._read()
            if ended is not None:
                return "signal" if ended < 0 else "done" if self._is_through else "exit"
            if time.monotonic() - self._clock > (_TO_END if self._is_through else self._seconds):
                return "done" if self._is_through else "timeout"

    @property
    def _is_through(self) -> bool:
        return self._place == len(self._names)

    def _read(self) -> None:
        for _ in range(64):  # then it is the turn of the clock again
            part = _read(self._output)
            if not part:
                break
            self._sort(part)
        self._rest += _read(self._answers)
        lines = self._rest.split(b"\n")
        self._rest = lines.pop()[-_LINE:]
        for line in lines:
            self._take(line)

    def _sort(self, output: bytes) -> None:
        """What is written goes to the module that was being imported: marks in between tell which."""
        lines = (self._line + output).split(b"\n")
        self._line = lines.pop()
        if len(self._line) > _LINE:
            lines, self._line = [*lines, self._line], b""
        for line in lines:
            number = line[len(self._mark) :] if line.startswith(self._mark) else b""
            if number.isdigit() and int(number) < len(self._written):
                self._writing = int(number)
            else:
                self._keep(line + b"\n")

    def _keep(self, line: bytes) -> None:
        text = self._written[self._writing] + line
        if len(text) > 2 * _OUTPUT:
            text = text[:_OUTPUT] + text[_OUTPUT:][-_OUTPUT:]
        self._written[self._writing] = text

    def _take(self, line: bytes) -> None:
        """One answer. A module may write to the pipe as well: what is no answer is passed over."""
        try:
            told = json.loads(line)
            if "done" in told:
                self._place = len(self._names)
            elif "began" in told and 0 <= told["began"] < len(self._names):
                self._place = told["began"]
            elif "failed" in told:
                words = {key: str(told[key]) for key in ("type", "message", "trace")}
                self._failures.append(dict(words, module=self._names[told["failed"]]))
        except (ValueError, TypeError, KeyError, IndexError, RecursionError):
            return
        self._clock = time.monotonic()

    def _told(self) -> list[Facts]:
        self._keep(self._line)
        names = [*self._names, ""]
        texts = [one.decode("utf-8", "replace").strip() for one in self._written]
        return [{"module": name, "text": text} for name, text in zip(names, texts) if text]

    def _end(self) -> None:
        """The whole session's group; what fled from it ends with the container."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except OSError:
            pass
        self._process.wait()
        os.close(self._answers)
        os.close(self._output)


def _read(number: int) -> bytes:
    try:
        return os.read(number, _LINE)
    except OSError:  # nothing there
        return b""

"""Runs one probe: a command to its end, or a server that must answer, stay alive, and serve.

Input: the probe as the contract defines it, with {python} and {scratch} to be filled in.
Result: how far it came, and what its output and logs say. Nothing is judged here beyond "did it answer".
"""

from __future__ import annotations

import glob
import http.client
import os
import re
import signal
import socket
import subprocess
import time
from typing import Any, Dict, Iterable

TAIL = 8192
_POLL = 0.1

Probe = Dict[str, Any]


def run_probe(probe: Probe, python: str, scratch: str) -> dict[str, Any]:
    """The facts of one probe; its processes are ended before this returns."""
    began = time.monotonic()
    fill = _Filler(python, scratch)
    environment = dict(os.environ)
    environment.update({name: fill.text(value) for name, value in probe["env"].items()})
    try:
        facts = (_run if probe["run"] else _serve)(probe, fill, environment)
    except OSError as error:
        facts = {"reached": "start", "detail": f"it could not be started: {error}"}
    facts["name"] = probe["name"]
    facts["wall_seconds"] = round(time.monotonic() - began, 3)
    if facts["reached"] != "done":
        facts["logs"] = _logs([fill.text(pattern) for pattern in probe["logs"]])
    return facts


class _Filler:
    """Fills {python} and {scratch} into a probe's words; other braces stay as they are."""

    def __init__(self, python: str, scratch: str) -> None:
        self._known = {"{python}": python, "{scratch}": scratch}
        self.scratch = scratch

    def text(self, text: str) -> str:
        for name, value in self._known.items():
            text = text.replace(name, value)
        return text

    def words(self, words: Iterable[str]) -> list[str]:
        return [self.text(word) for word in words]


class _Process:
    """A process in a session of its own, its output in a file of which only the tail is read."""

    def __init__(self, words: list[str], environment: dict[str, str], log: str) -> None:
        self._log = log
        with open(log, "wb") as stream:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )

    def ended(self) -> bool:
        return self._process.poll() is not None

    def wait(self, seconds: float) -> bool:
        """Whether it ended in time."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def status(self) -> dict[str, int]:
        code = self._process.returncode
        if code is None:
            return {}
        return {"signal": -code} if code < 0 else {"exit_code": code}

    def how_it_ended(self) -> str:
        code = self._process.returncode
        if code is not None and code < 0:
            return f"was ended by {_signal_name(-code)}"
        return f"ended with status {code}"

    def output(self) -> str:
        return _tail(self._log)

    def end(self) -> None:
        """TERM, then KILL, to the whole session's group; what fled from it ends with the container."""
        for number, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
            try:
                os.killpg(self._process.pid, number)
            except OSError:
                return
            if self.wait(patience) and number == signal.SIGKILL:
                return


def _run(probe: Probe, fill: _Filler, environment: dict[str, str]) -> dict[str, Any]:
    process = _Process(fill.words(probe["run"]), environment, os.path.join(fill.scratch, "run.log"))
    try:
        in_time = process.wait(probe["within"])
    finally:
        process.end()
    return _command_facts(process, in_time, probe, "start")


def _command_facts(process: _Process, in_time: bool, probe: Probe, stage: str) -> dict[str, Any]:
    output = process.output()
    facts: dict[str, Any] = {"reached": stage, "output": output}
    if not in_time:
        facts["detail"] = f"it did not end within {probe['within']:g} s"
        return facts
    facts.update(process.status())
    if facts.get("exit_code") != 0:
        facts["detail"] = "it " + process.how_it_ended()
    elif probe["output"] and not re.search(probe["output"], output):
        facts["detail"] = f"its output does not match {probe['output']!r}"
    else:
        facts["reached"] = "done"
    return facts


def _serve(probe: Probe, fill: _Filler, environment: dict[str, str]) -> dict[str, Any]:
    server = _Process(fill.words(probe["start"]), environment, os.path.join(fill.scratch, "server.log"))
    try:
        return _watch(server, probe, fill, environment)
    finally:
        server.end()


def _watch(server: _Process, probe: Probe, fill: _Filler, environment: dict[str, str]) -> dict[str, Any]:
    """Answer, stay alive, answer again, and serve the command that follows."""
    facts = _await_answer(server, probe, [fill.text(pattern) for pattern in probe["logs"]])
    if facts["reached"] == "answer":
        return facts
    if server.wait(probe["alive"]):
        text = f"it answered, and then {server.how_it_ended()}"
        return dict(facts, reached="alive", detail=text, output=server.output(), **server.status())
    good, answer = _ask(probe)
    if not good:
        text = f"it answered, and {probe['alive']:g} s later it did not"
        return dict(facts, reached="alive", detail=text, answer=answer, output=server.output())
    if not probe["then"]:
        return dict(facts, reached="done", output=server.output())
    command = _Process(fill.words(probe["then"]), environment, os.path.join(fill.scratch, "then.log"))
    try:
        in_time = command.wait(probe["within"])
    finally:
        command.end()
    return dict(facts, **_command_facts(command, in_time, probe, "then"))


def _await_answer(server: _Process, probe: Probe, logs: list[str]) -> dict[str, Any]:
    """How far it came: "answer" while the server has not answered as it should, "alive" when it has."""
    deadline = time.monotonic() + probe["within"]
    answer = ""
    while time.monotonic() < deadline:
        if server.ended():
            text = f"it {server.how_it_ended()} before it answered"
            return dict(server.status(), reached="answer", detail=text, answer=answer, output=server.output())
        good, answer = _ask(probe)
        if good:
            return {"reached": "alive", "answer": answer}
        fatal = _fatal_line(server, probe, logs)
        if fatal:
            text = f"it will not answer, for it says: {fatal}"
            return {"reached": "answer", "detail": text, "answer": answer, "output": server.output()}
        time.sleep(_POLL)
    text = f"it did not answer as asked within {probe['within']:g} s"
    return {"reached": "answer", "detail": text, "answer": answer, "output": server.output()}


def _fatal_line(server: _Process, probe: Probe, logs: list[str]) -> str:
    """The line that says that the server has failed, where the probe knows such lines."""
    if not probe["fatal"]:
        return ""
    texts = [server.output(), *_logs(logs).values()]
    lines = (line for text in texts for line in text.splitlines() if re.search(probe["fatal"], line))
    return next(lines, "").strip()[:400]


def _ask(probe: Probe) -> tuple[bool, str]:
    """Whether the server answers as the probe demands, and what it answered."""
    wanted = probe["http"]
    if not wanted:
        try:
            socket.create_connection(("127.0.0.1", probe["port"]), 2).close()
        except OSError as error:
            return False, f"port {probe['port']}: {error.strerror or error}"
        return True, f"port {probe['port']} is open"
    connection = http.client.HTTPConnection("127.0.0.1", wanted["port"], timeout=10)
    try:
        connection.request("GET", wanted["path"])
        response = connection.getresponse()
        body = response.read(1 << 20).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        return False, f"port {wanted['port']}: {getattr(error, 'strerror', None) or repr(error)}"
    finally:
        connection.close()
    good = response.status == wanted["status"] and (not wanted["body"] or re.search(wanted["body"], body))
    return bool(good), f"HTTP {response.status}: {body[:2048]}"


def _logs(patterns: Iterable[str]) -> dict[str, str]:
    files = [file for pattern in patterns for file in sorted(glob.glob(pattern))[:8]]
    return {file: text for file, text in ((file, _tail(file)) for file in files) if text}


def _tail(file: str) -> str:
    try:
        with open(file, "rb") as stream:
            stream.seek(0, os.SEEK_END)
            stream.seek(max(0, stream.tell() - TAIL))
            return stream.read(TAIL).decode("utf-8", "replace")
    except OSError:
        return ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"

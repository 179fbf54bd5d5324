"""Runs one probe: a command to its end, or a server that must get ready, stay alive, serve, and stop.

Input: the probe as the contract defines it, with {python} and {scratch} to be filled in.
Result: how far it came, and what its output and logs say. Nothing is judged here beyond "did it do as asked".
Floor: Python 3.8.
"""

from __future__ import annotations

import os
import re
import time
from typing import Any, Dict, Iterable

from imgcheck.collector import probe_answers
from imgcheck.collector.probe_output import LogFiles
from imgcheck.collector.probe_process import PATIENCE, Process, adopt_orphans, end_leftovers, memory_kills

_POLL = 0.1
_VARIABLE = re.compile(r"\$\{(\w+)\}")

Probe = Dict[str, Any]
Facts = Dict[str, Any]


def run_probe(probe: Probe, python: str, scratch: str) -> Facts:
    """The facts of one probe; its processes are ended before this returns."""
    adopt_orphans()
    began, killed = time.monotonic(), memory_kills()
    stage = _Stage(probe, python, scratch)
    facts = (_run if probe["run"] else _serve)(stage)
    facts["leftovers"] = end_leftovers(PATIENCE if facts["reached"] == "done" else 0)
    facts["memory_kills"] = memory_kills() - killed
    facts["name"] = probe["name"]
    facts["wall_seconds"] = round(time.monotonic() - began, 3)
    facts["warnings"] = stage.warnings()
    if facts["reached"] != "done":
        facts["logs"] = probe_answers.tails(stage.logs)
    return facts


class _Stage:
    """The probe with its words filled in, and all processes that it started. Other braces stay as they are."""

    def __init__(self, probe: Probe, python: str, scratch: str) -> None:
        self.probe = probe
        self._known = {"{python}": python, "{scratch}": scratch}
        self._environment = dict(os.environ)
        self._environment.update({name: self.text(value) for name, value in probe["env"].items()})
        self._workdir: str | None = self.text(probe["workdir"]) if probe["workdir"] else None
        self.logs = [self._path(pattern) for pattern in probe["logs"]]
        self.files = [self._path(pattern) for pattern in probe["files"]]
        self.log_files = LogFiles((probe["log"], probe["fatal"]))
        self.processes: list[Process] = []

    def text(self, text: str) -> str:
        for name, value in self._known.items():
            text = text.replace(name, value)
        return text

    def _path(self, text: str) -> str:
        """With the probe's variables, as ${HOME}, filled in; one that is not set stays as it is."""
        return _VARIABLE.sub(lambda found: self._environment.get(found[1], found[0]), self.text(text))

    def begin(self, key: str) -> Process:
        """The program of `run`, `start`, `then` or `stop`. Raises OSError."""
        words = [self.text(word) for word in self.probe[key]]
        patterns = [self.probe["log"], self.probe["fatal"], *self.probe["warns"]]
        try:
            process = Process(words, self._environment, self._workdir, patterns)
        except ValueError as error:
            raise OSError(str(error)) from None
        self.processes.append(process)
        return process

    def line(self, pattern: str) -> str:
        """The first line of the server's output or of a log file that matches."""
        if not pattern:
            return ""
        self.log_files.look(probe_answers.log_files(self.logs))
        found = [*self.processes[0].output.lines.found[pattern], *self.log_files.lines.found[pattern]]
        return found[0] if found else ""

    def warnings(self) -> list[str]:
        found = [
            line
            for one in self.processes
            for pattern in self.probe["warns"]
            for line in one.output.lines.found[pattern]
        ]
        return list(dict.fromkeys(found))[:8]


def _not_started(stage: _Stage, key: str, error: OSError, reached: str) -> Facts:
    words = [stage.text(word) for word in stage.probe[key]]
    place = f"{words[0]}: " if error.filename in (None, words[0]) else f"{error.filename}: "
    return {"reached": reached, "detail": f"it could not be started: {place}{error.strerror or error}"}


def _run(stage: _Stage) -> Facts:
    return _command(stage, "run", "start")


def _command(stage: _Stage, key: str, reached: str) -> Facts:
    """A command to its end: status, output, files."""
    probe = stage.probe
    try:
        process = stage.begin(key)
    except OSError as error:
        return _not_started(stage, key, error, reached)
    in_time = process.wait(probe["within"])
    if in_time:
        process.output.settle()  # what it leaves in its own group is left, as what left the group is
    else:
        process.end()
    facts: Facts = {"reached": reached, "output": process.output.tail(), "written": process.output.size}
    if not in_time:
        facts["detail"] = f"it did not end within {probe['within']:g} s"
        return facts
    facts.update(process.status())
    wrong = "" if key == "stop" else _wrong_end(stage, process)
    if facts.get("exit_code") != 0:
        facts["detail"] = "it " + process.how_it_ended()
    elif wrong:
        facts["detail"] = wrong
    else:
        facts["reached"] = "done"
    return facts


def _wrong_end(stage: _Stage, process: Process) -> str:
    missing = probe_answers.missing_files(stage.files) if stage.probe["run"] else []
    return probe_answers.wrong_output(stage.probe, process.output.text()) or _lacking(missing)


def _lacking(files: Iterable[str]) -> str:
    first = next(iter(files), "")
    return f"there is no {first}, or it is empty" if first else ""


def _serve(stage: _Stage) -> Facts:
    try:
        server = stage.begin("start")
    except OSError as error:
        return _not_started(stage, "start", error, "start")
    try:
        facts = _watch(server, stage)
        if facts["reached"] == "done" and stage.probe["stop"]:
            facts = _stop(server, stage, facts)
    finally:
        obeyed = server.end()
    if facts["reached"] == "done":
        facts.update(_excluded(server, stage))
        facts["ignored_term"] = not obeyed
    facts.setdefault("written", server.output.size)
    return facts


def _watch(server: Process, stage: _Stage) -> Facts:
    """Get ready, stay alive, answer again, and serve the command that follows."""
    probe = stage.probe
    facts = _await(server, stage)
    if facts["reached"] == "answer":
        return facts
    if server.wait(probe["alive"]):
        text = f"it answered, and then {server.how_it_ended()}"
        return dict(facts, reached="alive", detail=text, output=server.output.tail(), **server.status())
    wrong, answer = probe_answers.ask(probe)
    if wrong:
        text = f"it answered, and {probe['alive']:g} s later {wrong}"
        return dict(facts, reached="alive", detail=text, answer=answer, output=server.output.tail())
    if not probe["then"]:
        return dict(facts, reached="done", output=server.output.tail())
    then = dict(facts, **_command(stage, "then", "then"))
    if then["reached"] != "done":
        then["server_output"] = server.output.tail()
    return then


def _await(server: Process, stage: _Stage) -> Facts:
    """How far it came: "answer" while the server is not ready as asked, "alive" when it is."""
    probe = stage.probe
    deadline = time.monotonic() + probe["within"]
    while True:
        wrong, answer = _ready(stage)
        if not wrong:
            return {"reached": "alive", "answer": answer}
        why = _hopeless(server, stage)
        if not why and time.monotonic() > deadline:
            why = f"it was not ready within {probe['within']:g} s: {wrong}"
        if why:
            return dict(server.status(), reached="answer", detail=why, answer=answer, output=server.output.tail())
        time.sleep(_POLL)


def _hopeless(server: Process, stage: _Stage) -> str:
    """Why a server need not be waited for any longer."""
    if server.ended():
        server.output.settle()
        return f"it {server.how_it_ended()} before it answered"
    fatal = stage.line(stage.probe["fatal"])
    return f"it will not answer, for it says: {fatal}" if fatal else ""


def _ready(stage: _Stage) -> Any:
    """What the server still lacks, and what it answered."""
    probe = stage.probe
    if probe["log"] and not stage.line(probe["log"]):
        return f"no line matches {probe['log']!r}", ""
    missing = probe_answers.missing_files(stage.files)
    return (_lacking(missing), "") if missing else probe_answers.ask(probe)


def _stop(server: Process, stage: _Stage, facts: Facts) -> Facts:
    """The command that stops the server, and whether it does."""
    stopped = _command(stage, "stop", "stop")
    if stopped["reached"] == "done" and not server.wait(stage.probe["within"]):
        text = f"it succeeded, and the server was still there {stage.probe['within']:g} s later"
        stopped = dict(stopped, reached="stop", detail=text)
    if stopped["reached"] == "done":
        return facts
    return dict(facts, **stopped)


def _excluded(server: Process, stage: _Stage) -> Facts:
    """A server that did all it was asked for, and wrote what it must not."""
    only = {"output": "", "contains": (), "excludes": stage.probe["excludes"]}
    wrong = probe_answers.wrong_output(only, server.output.text())
    return {"reached": "alive", "detail": wrong, "output": server.output.tail()} if wrong else {}

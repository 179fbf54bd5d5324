"""A failed probe in words: how far it came, what was to happen, and where to look."""

from __future__ import annotations

from typing import Final, Literal

from imgcheck.contract.model import Probe
from imgcheck.diagnosis.endings import signal_words
from imgcheck.diagnosis.sweep import tail
from imgcheck.diagnosis.tracebacks import message_of
from imgcheck.facts.model import ProbeFacts

Stage = Literal["start", "answer", "alive", "then", "done"]

_EXPECTED: Final[dict[Stage, str]] = {
    "start": "starts, and ends with status 0 where it is a command",
    "answer": "answers as the contract says",
    "alive": "stays alive and answers again",
    "then": "serves the command that follows",
    "done": "done",
}
_REMEDY: Final[dict[Stage, str]] = {
    "start": "Run the command in the image by hand. A program that is not there was not installed, or is not on PATH.",
    "answer": "Its output below says why. The first traceback in it names the package to pin or to install.",
    "alive": "It dies of what it does after it has started: look at the last lines of its output and logs.",
    "then": "The server runs and does not do its work: look at its own logs first, then at the command's output.",
    "done": "",
}


def what_happened(told: ProbeFacts, probe: Probe) -> str:
    """One clause without a subject: "it ended with status 1 before it answered"."""
    if told.reached == "start":
        return _ended(told, " before it answered" if probe.start else "") or told.detail or "it never started"
    if told.reached == "answer":
        return _ended(told, " before it answered") or _not_as_asked(told)
    if told.reached == "alive":
        return _ended(told, " after it had answered") or told.detail or "it answered, and then no more"
    failure = _ended(told, "") or told.detail or "it did not succeed"
    return f"it answered, and the command that follows failed: {failure}"


def last_words(told: ProbeFacts, probe: Probe) -> str:
    """The last line of its output, of a traceback the message; what happened where it wrote nothing."""
    return message_of(told.output) or what_happened(told, probe)


def expected_of(told: ProbeFacts, probe: Probe) -> str:
    if told.reached == "answer" and probe.http:
        wanted = f" and a body that matches {probe.http.body!r}" if probe.http.body else ""
        return f"HTTP {probe.http.status} on :{probe.http.port}{probe.http.path}{wanted} within {probe.within:g} s"
    if told.reached == "answer" and probe.port:
        return f"port {probe.port} open within {probe.within:g} s"
    if told.reached == "alive":
        return f"alive {probe.alive:g} s after its answer"
    if probe.output and told.reached in ("start", "then"):
        return f"status 0 within {probe.within:g} s, and output that matches {probe.output!r}"
    return f"status 0 within {probe.within:g} s" if probe.run or told.reached == "then" else _EXPECTED[told.reached]


def remedy_of(told: ProbeFacts) -> str:
    return _REMEDY[told.reached]


def log_tails(told: ProbeFacts) -> str:
    """The program's output, then its log files; the most telling, which the probe names first, comes last."""
    parts = [tail(told.output, 40)] if told.output.strip() else []
    parts += [f"==> {file} <==\n{tail(text, 40)}" for file, text in reversed(told.logs.items()) if text.strip()]
    return "\n\n".join(parts)


def _not_as_asked(told: ProbeFacts) -> str:
    detail = told.detail or "it did not answer as asked"
    return f"{detail} (last answer: {told.answer.splitlines()[0]})" if told.answer.strip() else detail


def _ended(told: ProbeFacts, when: str) -> str:
    """Where the output is wrong, a status of 0 is no reason."""
    if told.signal is not None:
        return f"it was ended by {signal_words(told.signal)}{when}"
    if told.exit_code is None or (told.exit_code == 0 and told.detail):
        return ""
    return f"it ended with status {told.exit_code}{when}"

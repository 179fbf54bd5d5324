"""A failed probe in words: how far it came, what was to happen, and where to look."""

from __future__ import annotations

from typing import Final, Literal

from imgcheck.contract.probes import Http, Probe
from imgcheck.diagnosis.endings import signal_words
from imgcheck.diagnosis.sweep import tail
from imgcheck.diagnosis.tracebacks import message_of
from imgcheck.facts.probes import ProbeFacts

Stage = Literal["skipped", "start", "answer", "alive", "then", "stop", "done"]

_EXPECTED: Final[dict[Stage, str]] = {
    "skipped": "run",
    "start": "starts, and ends with status 0 where it is a command",
    "answer": "is ready as the contract says",
    "alive": "stays alive and answers again",
    "then": "serves the command that follows",
    "stop": "stops when it is told to",
    "done": "done",
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
    if told.reached == "stop":
        return f"it did its work, and the command that stops it failed: {failure}"
    return f"it answered, and the command that follows failed: {failure}"


def last_words(told: ProbeFacts, probe: Probe) -> str:
    """The last line of its output, of a traceback the message; what happened where it wrote nothing."""
    return message_of(told.output) or what_happened(told, probe)


def expected_of(told: ProbeFacts, probe: Probe) -> str:
    if told.reached == "answer":
        return f"{_readiness(probe)} within {probe.within:g} s"
    if told.reached == "alive":
        return f"alive {probe.alive:g} s after its answer"
    if told.reached in ("start", "then") and (probe.run or told.reached == "then"):
        return f"status 0 within {probe.within:g} s{_wanted_output(probe)}"
    return _EXPECTED[told.reached]


def _wanted_output(probe: Probe) -> str:
    wanted = [f"matches {probe.output!r}"] if probe.output else []
    wanted += [f"contains {text!r}" for text in probe.contains]
    wanted += [f"does not match {pattern!r}" for pattern in probe.excludes]
    return f", and output that {', '.join(wanted)}" if wanted else ""


def _readiness(probe: Probe) -> str:
    """All that a server is waited for."""
    wanted = (
        [f"HTTP {probe.http.status} on :{probe.http.port}{probe.http.path}{_body(probe.http)}"] if probe.http else []
    )
    wanted += [f"port {probe.port} open"] if probe.port and not probe.http else []
    wanted += [f"a line that matches {probe.log!r}"] if probe.log else []
    wanted += [f"the file {one}" for one in probe.files]
    return ", ".join(wanted)


def _body(http: Http) -> str:
    wanted = [f"matches {http.body!r}"] if http.body else []
    wanted += [f"contains {text!r}" for text in http.contains]
    wanted += [f"has {pattern!r} at {place}" for place, pattern in http.values.items()]
    return f" and a body that {', '.join(wanted)}" if wanted else ""


def log_tails(told: ProbeFacts) -> str:
    """The program's output, then its log files; the most telling, which the probe names first, comes last."""
    parts = [f"==> the server's output <==\n{tail(told.server_output, 20)}"] if told.server_output.strip() else []
    parts += [tail(told.output, 40)] if told.output.strip() else []
    parts += [f"==> {file} <==\n{tail(text, 40)}" for file, text in reversed(told.logs.items()) if text.strip()]
    return "\n\n".join(parts)


def _not_as_asked(told: ProbeFacts) -> str:
    detail = told.detail or "it was not ready as asked"
    return f"{detail} (last answer: {told.answer.splitlines()[0]})" if told.answer.strip() else detail


def _ended(told: ProbeFacts, when: str) -> str:
    """Where the output is wrong, a status of 0 is no reason."""
    if told.signal is not None:
        return f"it was ended by {signal_words(told.signal)}{when}"
    if told.exit_code is None or (told.exit_code == 0 and told.detail):
        return ""
    return f"it ended with status {told.exit_code}{when}"

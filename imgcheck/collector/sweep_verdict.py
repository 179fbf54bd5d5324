"""Verdicts: what is told of one module, from how its process went."""

from __future__ import annotations

import functools
import os
import signal
from typing import Any, Dict, Sequence

from imgcheck.collector.modules import Module
from imgcheck.collector.sweep_job import Outcome, Told

_LONGEST_LINE = 200
_LARGEST_SOURCE = 1 << 21

Facts = Dict[str, Any]  # a verdict


def passed(module: Module, answer: Told, outcome: Outcome | None = None, proof: str = "alone") -> Facts:
    """The verdict for a module that could be imported.

    `proof` says what it rests on: "alone" in a process of its own, "parents" loaded by its own parent packages,
    "siblings" after others of its package in one process.
    """
    facts = _frame(module, "ok")
    facts["proof"] = proof
    facts["file"] = answer.get("file")
    facts["cpu"] = round(answer.get("cpu", 0.0), 4)
    facts["wall"] = round(answer.get("wall", 0.0), 4)
    unloaded = answer.get("unloaded")
    if isinstance(unloaded, list) and unloaded:
        facts["unloaded"] = [one for one in unloaded if isinstance(one, str)]
    effects = dict(answer.get("side_effects") or {})
    if outcome is not None:
        _add_output(facts, outcome)
        if outcome.left:
            effects["processes"] = outcome.left
    if effects:
        facts["side_effects"] = effects
    return facts


def failed(module: Module, outcome: Outcome, trace: str = "") -> Facts:
    """The verdict for a module that could not be imported; `trace` is where a crash was, if that is known."""
    answer = outcome.answer()
    if answer is not None and answer.get("error"):
        facts = _failed_by_exception(module, answer)
    else:
        facts = _failed_by_ending(module, outcome)
    _add_output(facts, outcome, trace)
    if outcome.left:
        facts.setdefault("side_effects", {})["processes"] = outcome.left
    return facts


def of(module: Module, facts: Facts) -> Facts:
    """The same verdict, for another entry of the same name."""
    return dict(facts, **_whose(module))


def inherited(module: Module, facts: Facts, package: str) -> Facts:
    """The verdict for a module below a package that cannot be imported: it fails in the same way."""
    taken = ("status", "error", "exit_code", "signal", "limit", "reason")
    same = {key: facts[key] for key in taken if key in facts}
    return dict(_frame(module, facts["status"]), inherited_from=package, **same)


def lost(module: Module, reason: str) -> Facts:
    """Nothing could be told."""
    return dict(_frame(module, "lost"), reason=reason)


def _whose(module: Module) -> Facts:
    return {key: module.get(key) for key in ("module", "distribution", "path", "group")}


def _frame(module: Module, status: str) -> Facts:
    return {
        **_whose(module),
        "status": status,
        "file": None,
        "error": None,
        "inherited_from": None,
        "exit_code": None,
        "signal": None,
        "stderr": "",
        "cpu": 0.0,
        "wall": 0.0,
    }


def _failed_by_exception(module: Module, answer: Told) -> Facts:
    facts = passed(module, answer)
    facts["exit_code"] = answer.get("exit_code")
    facts["status"] = "exception" if facts["exit_code"] is None else "exit"
    facts["error"] = answer["error"]
    for frame in facts["error"]["frames"]:
        frame["text"] = _line(frame["file"], frame["line"])
    return facts


def _failed_by_ending(module: Module, outcome: Outcome) -> Facts:
    status = outcome.ending
    facts = _frame(module, status)
    facts["cpu"], facts["wall"] = round(outcome.cpu, 4), round(outcome.wall, 4)
    if status == "timeout":
        facts["limit"] = outcome.limit
    elif status == "died" and outcome.status is not None:
        _add_death(facts, outcome.status)
    elif status != "memory":
        facts["status"], facts["reason"] = "lost", outcome.reason or "it ended, and nobody knows how"
    return facts


def _add_death(facts: Facts, status: int) -> None:
    if os.WIFSIGNALED(status):
        facts["status"], facts["signal"] = "signal", os.WTERMSIG(status)
        facts["reason"] = _signal_name(facts["signal"])
    else:
        facts["status"], facts["exit_code"] = "exit", os.WEXITSTATUS(status)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _add_output(facts: Facts, outcome: Outcome, trace: str = "") -> None:
    errors = outcome.errors.decode("utf-8", "replace")
    facts["stderr"] = (errors + ("\n" if errors and trace else "") + trace)[-2000:]


def _line(file: str | None, number: int | None) -> str:
    if not file or not number:
        return ""
    lines = _lines(file)
    return lines[number - 1].strip()[:_LONGEST_LINE] if 0 < number <= len(lines) else ""


@functools.lru_cache(maxsize=64)
def _lines(file: str) -> Sequence[str]:
    try:
        if not os.path.isfile(file) or os.path.getsize(file) > _LARGEST_SOURCE:
            return ()
        with open(file, encoding="utf-8", errors="replace") as source:
            return source.read().split("\n")
    except (OSError, ValueError):
        return ()

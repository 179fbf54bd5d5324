"""Typed twin of the collector's script_runs.py: what console scripts did when they were asked for help."""

from __future__ import annotations

from typing import Literal

from imgcheck.facts.strict import FactModel, Name, Text


class ScriptRun(FactModel):
    """One script. `status` is its exit status, negative for a signal; None where it did not end in time."""

    name: Name
    path: Name
    option: Name
    outcome: Literal["answer", "traceback", "other", "timeout", "signal", "unstarted"]
    status: int | None
    output: Text = ""


class ScriptRuns(FactModel):
    """All that were run, by name."""

    runs: tuple[ScriptRun, ...] = ()

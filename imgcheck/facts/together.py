"""Typed twin of the collector's together.py: modules imported in one process."""

from __future__ import annotations

from typing import Literal

from imgcheck.facts.strict import FactModel, Name, Text


class FailedTogether(FactModel):
    module: Name
    type: Name
    message: Text
    trace: Text = ""


class Searched(FactModel):
    """With whom a module falls out that failed in company."""

    module: Name
    alone: bool
    """It fails alone as well."""
    partner: Name = ""
    """The last module without which it does not fail; empty where there was no time to find it."""
    pair: bool = False
    """It fails after that one alone."""


class Written(FactModel):
    """What was written while a module was imported; after all of them where it names none."""

    module: Name
    text: Text


class TogetherRun(FactModel):
    """Modules imported one after another in one fresh interpreter."""

    order: tuple[Name, ...]
    began: int
    failures: tuple[FailedTogether, ...] = ()
    ended: Literal["done", "signal", "exit", "timeout"]
    at: Name = ""
    """What was being imported when the process ended; empty where all had been."""
    signal: int | None = None
    exit_code: int | None = None
    output: tuple[Written, ...] = ()
    searched: tuple[Searched, ...] = ()
    wall: float = 0.0


class TogetherFacts(FactModel):
    """One run in the given order, one in the reversed."""

    runs: tuple[TogetherRun, ...] = ()

"""Typed twin of the collector's questions.py: what modules say of themselves once they are imported."""

from __future__ import annotations

from pydantic import JsonValue

from imgcheck.facts.strict import FactModel, Name, Text


class Answer(FactModel):
    """To one expression; `problem` says why there is no value."""

    value: JsonValue = None
    problem: Text = ""


class Asked(FactModel):
    """One module, imported in a process of its own.

    Args:
        answers: in the order of the questions.
        mapped: shared libraries of that process, by their real paths.
    """

    module: Name
    answers: tuple[Answer, ...]
    mapped: tuple[Name, ...] = ()


class QuestionFacts(FactModel):
    """All modules that were asked."""

    asked: tuple[Asked, ...] = ()

"""What a second build gave, and what locks say."""

from __future__ import annotations

from typing import Literal

from imgcheck.facts.strict import FactModel, Name, Text


class Locked(FactModel):
    """A distribution of a lock; the version is empty for an address."""

    name: Name
    version: Name
    file: Name
    line: int


class RebuiltOne(FactModel):
    """A distribution as the second build has it."""

    name: Name
    version: Name
    record_digest: Name = ""


class RebuildFacts(FactModel):
    """What the same files give a second time.

    Args:
        kind: by a second build without cache, or by a fresh resolution alone.
        distributions: all that the second build has, or all that the resolution chose.
        problem: why it could not be had.
        left_out: install steps, and parts of them, that the resolution is not about.
    """

    kind: Literal["build", "resolve"] = "build"
    distributions: tuple[RebuiltOne, ...] = ()
    problem: Text = ""
    left_out: tuple[Text, ...] = ()

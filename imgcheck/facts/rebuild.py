"""What a second build gave, and what locks say."""

from __future__ import annotations

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
    """What a second build, without cache, has installed; `problem` says why it could not be had."""

    distributions: tuple[RebuiltOne, ...] = ()
    problem: Text = ""

"""Typed twin of the collector's statements.py: imports that nothing installed provides."""

from __future__ import annotations

from imgcheck.facts.strict import FactModel, Name


class Site(FactModel):
    """Where a statement is."""

    module: Name
    file: Name
    line: int


class UnprovidedImport(FactModel):
    """A top-level name that modules of one distribution and group import whenever they run, and nothing provides."""

    distribution: Name
    name: Name
    group: Name
    sites: tuple[Site, ...]
    """The first of them."""


class StatementFacts(FactModel):
    """Import statements at the top of all modules, read and not run."""

    unprovided: tuple[UnprovidedImport, ...]
    read: int
    unread: int = 0
    """Modules whose source could not be opened."""
    cpu_seconds: float = 0.0

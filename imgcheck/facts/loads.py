"""Typed twin of the collector's loads.py: libraries that an import tried to load in vain, tried once more."""

from __future__ import annotations

from imgcheck.facts.strict import FactModel, Name, Text


class LoadTry(FactModel):
    """A library by its path, tried after the import of `module`.

    Args:
        distribution: whose file it is; empty where it is none's.
        extension: it is an extension module.
        stand_in: there was a stand-in for the driver's libraries, for want of which the first try failed.
        error: the loader's words; empty where it loads now; None where it could not be tried, and `problem` says why.
    """

    module: Name
    path: Name
    distribution: Name = ""
    extension: bool = False
    stand_in: bool = False
    error: Text | None = None
    problem: Text = ""


class LoadFacts(FactModel):
    """All that were tried again."""

    tries: tuple[LoadTry, ...] = ()

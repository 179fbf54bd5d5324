"""What became of the image's self-checks: typed twins of the collector's answers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from imgcheck.facts.probes import ProbeFacts
from imgcheck.facts.strict import FactModel, Name, Text


class SelfCheck(FactModel):
    """One entry point, called in a process of its own."""

    value: Name
    """The entry point's, as "package.module:function"."""
    outcome: Literal["returned", "raised", "skipped", "unloadable", "untellable", "ended"] = "ended"
    """`ended`: its process was over before it returned."""
    reason: Text = ""
    returned: dict[Name, JsonValue] | None = None
    """What it returned, where that was a dictionary."""
    denied: tuple[Name, ...] = ()
    """Where it tried to write and could not, whether it said so or not."""
    process: ProbeFacts


class SelfCheckFacts(FactModel):
    """By "distribution:name", those that were called."""

    called: dict[Name, SelfCheck] = Field(default_factory=dict)

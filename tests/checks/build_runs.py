"""What became of smoke lines and artefacts, in memory."""

from __future__ import annotations

from typing import Any

from imgcheck.facts.model import Distribution, Facts
from imgcheck.facts.probes import ProbeFacts
from tests.checks.build_facts import facts


def ran(name: str, *, output: str = "", **more: Any) -> ProbeFacts:
    """It ended well, unless `exit_code` says otherwise."""
    reached = "start" if more.get("exit_code") or more.get("signal") else "done"
    return ProbeFacts.model_validate({"name": name, "reached": reached, "output": output, **more})


def having_run(*runs: ProbeFacts, of: tuple[Distribution, ...] = ()) -> Facts:
    """In an image that has these distributions."""
    return facts(*of).model_copy(update={"runs": {one.name: one for one in runs}})

"""Whole stories: each module imported in a bare interpreter of its own, with all that it does on the way.

Nothing is shared and nothing is held, not even parent packages: time, memory and what is loaded are what `import a.b`
costs its user. It is for a few modules that somebody asked for by name.
"""

from __future__ import annotations

import os
import pkgutil
from typing import Callable, Iterable

from imgcheck.collector import sweep_verdict
from imgcheck.collector.modules import Module
from imgcheck.collector.sweep_job import Limits, Outcome
from imgcheck.collector.sweep_pool import Pool
from imgcheck.collector.sweep_tree import TreeSweep, is_crash, is_failure
from imgcheck.collector.sweep_verdict import Facts
from imgcheck.collector.sweep_zygote import Root

_START = b"\nserve("


class StoryRoot(Root):
    """A bare interpreter whose forks tell whole stories."""

    def _start(self) -> None:
        self._program = _program(self._folder)
        super()._start()


class StorySweep(TreeSweep):
    """Gives every module its verdict, and its story."""

    def __init__(
        self,
        root: StoryRoot,
        tracing_root: Callable[[], Root],
        limits: Limits,
        folder: str,
        settle: Callable[[Facts], None],
    ) -> None:
        super().__init__(root, tracing_root, limits, folder, settle, sharing=False)

    def tell(self, modules: Iterable[Module], pool: Pool) -> None:
        """Fills the pool with the steps."""
        by_name: dict[str, list[Module]] = {}
        for module in modules:
            by_name.setdefault(module["module"], []).append(module)
        for name in sorted(by_name, reverse=True):
            pool.add(lambda name=name: self._one(name, by_name[name]))  # type: ignore[misc]

    def _one(self, name: str, entries: list[Module]) -> None:
        outcome = self._import(self.root, name)
        facts = self._facts(name, outcome)
        for module in entries:
            self.settle(sweep_verdict.of(module, facts))

    def _facts(self, name: str, outcome: Outcome) -> Facts:
        answer = outcome.answer() or {}
        if is_failure(outcome):
            trace = self._trace(name) if is_crash(outcome) else ""
            facts = sweep_verdict.failed({"module": name}, outcome, trace)
        else:
            facts = sweep_verdict.passed({"module": name}, answer, outcome)
        heard = answer.get("heard")
        if heard and isinstance(heard, dict):
            facts["side_effects"] = {**heard, **facts.get("side_effects", {})}
        facts["loaded"] = answer.get("loaded")
        facts["peak_memory"] = answer.get("peak_memory") or None
        return facts


def _program(folder: str) -> str:
    path = os.path.join(folder, "storyteller")
    if not os.path.exists(path):
        zygote, start, end = _source("zygote.py").rpartition(_START)
        with open(path, "wb") as file:
            file.write(b"\n".join([_source("zygote_report.py"), zygote, _source("zygote_story.py"), start + end]))
    return path


def _source(name: str) -> bytes:
    return pkgutil.get_data("imgcheck.collector", name) or b""

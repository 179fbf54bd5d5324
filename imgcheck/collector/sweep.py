"""Imports modules, each as a fresh interpreter of the image would, and tells a verdict for each.

It expects: modules as `modules.enumerate_modules` lists them, and options {"python", "scratch", "jobs", "timeout",
"memory", "method", "bytecode": whether modules bring theirs, "requires": Requires-Dist lines by distribution,
"begin": with "exact", is told each module that is about to be imported}.
 Results: one dictionary per module, handed to `emit` as
soon as it is known, and a summary.
A failing, crashing, hanging or hostile module is data; only a Python that does not start is an error.
Floor: Python 3.8 to 3.14, Linux.
"""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
import threading
import time
from typing import Any, Callable, Dict, Sequence

from imgcheck.collector import sweep_verdict
from imgcheck.collector.modules import Module
from imgcheck.collector.sweep_family import Family
from imgcheck.collector.sweep_job import Limits
from imgcheck.collector.sweep_pool import Pool
from imgcheck.collector.sweep_story import StoryRoot, StorySweep
from imgcheck.collector.sweep_tree import TreeSweep, grow
from imgcheck.collector.sweep_verdict import Facts
from imgcheck.collector.sweep_walk import WalkSweep
from imgcheck.collector.sweep_walk_hub import choose
from imgcheck.collector.sweep_walk_process import UnfitError, WalkRoot
from imgcheck.collector.sweep_zygote import Root

_SECONDS = 60
_MEASURE_EVERY = 10.0
Options = Dict[str, Any]

_METHODS = {"tree": True, "exact": False, "walk": False}  # whether siblings may share a process


def sweep(modules: Sequence[Module], options: Options, emit: Callable[[Facts], None]) -> Facts:
    """Imports every module; the verdicts go to `emit`, the summary is returned.

    Processes that the caller starts while this runs are taken for leftovers of modules.
    """
    began, used = time.monotonic(), _cpu()
    folder = tempfile.mkdtemp(prefix="sweep-", dir=options["scratch"])
    verdicts = _Verdicts(modules, emit)
    family = Family()
    try:
        counts = _run(modules, options, folder, family, verdicts)
    finally:
        family.close()
        shutil.rmtree(folder, ignore_errors=True)
    verdicts.complete()
    return {
        "modules": len(modules),
        "statuses": verdicts.statuses,
        "method": options.get("method") or "walk",
        **counts,
        "cpu": round(_cpu() - used, 3),
        "wall": round(time.monotonic() - began, 3),
        "peak_memory": family.most,
        "leftovers": family.left,
        "reaps_orphans": family.reaping,
    }


def _run(modules: Sequence[Module], options: Options, folder: str, family: Family, verdicts: _Verdicts) -> Facts:
    """Fills the verdicts. What the summary tells of the way that was taken."""
    method = options.get("method") or "walk"
    limits = Limits(options.get("timeout") or _SECONDS, options.get("memory"))
    bytecode = None if options.get("bytecode", True) else os.path.join(folder, "pycache")
    roots = _Roots(family, options["python"], folder, bytecode)
    pool = Pool(options.get("jobs") or 2)
    told: Facts = {}
    if method == "story":
        story = StorySweep(roots.telling(), roots.tracing, limits, folder, verdicts.settle)
        story.tell(modules, pool)
        pool.run(family.measure, _MEASURE_EVERY)
        return {"work": story.counts}
    if method == "walk":
        common = choose(modules, options.get("requires") or {})
        walk = WalkSweep(roots.plain, roots.tracing, roots.walking(), limits, folder, verdicts.settle, common)
        try:
            walk.try_out()
        except UnfitError as error:
            told = {"method": "exact", "fallback": str(error)}
        else:
            walk.run(modules, pool)
            pool.run(family.measure, _MEASURE_EVERY)
            walk.close()
            return {"work": dict(walk.counts), "disagreements": walk.disagreements}
    tree = TreeSweep(roots.plain, roots.tracing, limits, folder, verdicts.settle, sharing=_METHODS[method])
    tree.begin = options.get("begin") or tree.begin
    tree.run(grow(modules), pool)
    pool.run(family.measure, _MEASURE_EVERY)
    return {**told, "work": tree.counts}


class _Roots:
    """The bare interpreters: one for verdicts, one that tells where a crash was, started when it is needed."""

    def __init__(self, family: Family, python: str, folder: str, bytecode: str | None) -> None:
        self._make: Callable[..., Root] = lambda *flags: Root(family, python, folder, flags, bytecode)
        self.walking: Callable[[], WalkRoot] = lambda: WalkRoot(family, python, folder, bytecode=bytecode)
        self.telling: Callable[[], StoryRoot] = lambda: StoryRoot(family, python, folder, bytecode=bytecode)
        self._lock = threading.Lock()
        self._tracing: Root | None = None
        self.plain = self._make()

    def tracing(self) -> Root:
        with self._lock:
            if self._tracing is None:
                self._tracing = self._make("-X", "faulthandler")
            return self._tracing


class _Verdicts:
    """Hands verdicts on, one at a time, and sees to it that every module has exactly one."""

    def __init__(self, modules: Sequence[Module], emit: Callable[[Facts], None]) -> None:
        self._names: dict[str, list[Module]] = {}
        self._emit = emit
        self._lock = threading.Lock()
        self.statuses: dict[str, int] = {}
        for module in modules:
            self._names.setdefault(module["module"], []).append(module)

    def settle(self, facts: Facts) -> None:
        with self._lock:
            entries = self._names.get(facts["module"])
            if not entries:
                return
            entries.pop()
            self.statuses[facts["status"]] = self.statuses.get(facts["status"], 0) + 1
            self._emit(facts)

    def complete(self) -> None:
        """A module that nobody told anything of is told of here: silence is no pass."""
        for entries in self._names.values():
            for module in list(entries):
                self.settle(sweep_verdict.lost(module, "the sweep gave it no verdict"))


def _cpu() -> float:
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both)

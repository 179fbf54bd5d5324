"""The tree of forks: each package has a zygote, forked from the zygote of the package above it.

What a package loads of itself is settled with it, without a fork. Modules that have nothing below them are imported
alone, each in a fork of their package's zygote; where that turns out dear, siblings share a process (see
sweep_siblings.py).
"""

from __future__ import annotations

import os
import signal
from typing import Callable, Iterable, Sequence

from imgcheck.collector import sweep_verdict
from imgcheck.collector.modules import Module
from imgcheck.collector.sweep_job import Job, Limits, Outcome
from imgcheck.collector.sweep_pool import Pool
from imgcheck.collector.sweep_siblings import Group, Siblings
from imgcheck.collector.sweep_verdict import Facts
from imgcheck.collector.sweep_zygote import Root, Zygote, ZygoteDied

_CRASH_TRACE_SECONDS = 30
_BY_WHAT_IS_THERE = frozenset(("ImportError", "ModuleNotFoundError", "AttributeError", "NameError", "SyntaxError"))


class Node:
    """A module name with what is below it; `entries` are the modules that are asked for under this name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.entries: list[Module] = []
        self.below: dict[str, Node] = {}


def grow(modules: Iterable[Module]) -> Node:
    """The names as a tree; packages that nobody asked for are there when something below them was."""
    top = Node("")
    for module in modules:
        node = top
        parts = module["module"].split(".")
        for count in range(1, len(parts) + 1):
            name = ".".join(parts[:count])
            node = node.below.setdefault(name, Node(name))
        node.entries.append(module)
    return top


class TreeSweep:
    """Gives every module of a tree its verdict.

    Args:
        root, tracing_root: a bare zygote; a function that gives one with crash traces.
        limits: for one module that is imported alone.
        settle: called with each verdict, by several threads.
        sharing: whether siblings may share a process; without, every verdict is exact by construction.
    """

    def __init__(
        self,
        root: Root,
        tracing_root: Callable[[], Root],
        limits: Limits,
        folder: str,
        settle: Callable[[Facts], None],
        sharing: bool = True,
    ) -> None:
        self.root = root
        self.limits = limits
        self.folder = folder
        self.settle = settle
        self.sharing = sharing
        self.begin: Callable[[str], None] = lambda _name: None
        self.counts = {"forks": 0, "batches": 0, "again": 0, "without a fork": 0}
        self._tracing_root = tracing_root

    def run(self, top: Node, pool: Pool) -> None:
        """Fills the pool with the steps; they add more."""
        self._pool = pool
        for node in sorted(top.below.values(), key=lambda one: one.name, reverse=True):
            group = Group(self)
            self.later(group, self.root, self.visit, node, self.root, group)

    def again(self, group: Group, nodes: Sequence[Node], top: Node, zygote: Zygote) -> None:
        """Imports some nodes below a top-level package again, each alone."""
        wanted = grow([module for node in nodes for module in node.entries])
        self.later(group, zygote, self.expand, wanted.below[top.name], zygote, group, False)

    # ------------------------------------------------------------ steps, and the zygotes they hold

    def later(self, group: Group, zygote: Zygote, step: Callable[..., None], *arguments: object) -> None:
        with self._pool.lock:
            zygote.users += 1
            group.pending += 1
        self._pool.add(lambda: self._now(group, zygote, step, *arguments))

    def _now(self, group: Group, zygote: Zygote, step: Callable[..., None], *arguments: object) -> None:
        try:
            step(*arguments)
        finally:
            self.release(zygote)
        with self._pool.lock:
            group.pending -= 1
            done = not group.pending
        if done:
            group.resolve()

    def hold(self, zygote: Zygote) -> None:
        with self._pool.lock:
            zygote.users += 1

    def release(self, zygote: Zygote) -> None:
        with self._pool.lock:
            zygote.users -= 1
            unused = not zygote.users and zygote is not self.root
        if unused:
            zygote.close()

    # ------------------------------------------------------------ one node after the other

    def expand(self, node: Node, zygote: Zygote, group: Group, sharing: bool) -> None:
        """Everything below a node whose own import is what the zygote holds."""
        leaves = []
        for child in sorted(node.below.values(), key=lambda one: one.name, reverse=True):
            if child.name in zygote.loaded:
                self._pass_without_fork(child, zygote, group, sharing)
            elif child.below:
                self.later(group, zygote, self.visit, child, zygote, group, sharing)
            else:
                leaves.append(child)
        if leaves:
            siblings = Siblings(self, group, zygote, leaves[::-1], sharing)
            self.later(group, zygote, siblings.run)

    def _pass_without_fork(self, node: Node, zygote: Zygote, group: Group, sharing: bool) -> None:
        """`import a.b` after `import a` finds a.b: it only looks it up."""
        self.counts["without a fork"] += len(node.entries)
        for module in node.entries:
            self.settle(sweep_verdict.passed(module, {"file": zygote.loaded[node.name]}, proof="parents"))
        self.expand(node, zygote, group, sharing)

    def visit(self, node: Node, zygote: Zygote, group: Group, sharing: bool | None = None) -> None:
        """Imports a module in a process of its own."""
        outcome = self._import(zygote, node.name, keep=bool(node.below))
        if is_failure(outcome) and self.depends_on_fork(outcome, zygote):
            outcome = self._import(self.root, node.name, keep=bool(node.below))
        answer = outcome.answer()
        if answer is None or is_failure(outcome):
            self.fail(node, outcome, group)
            return
        for module in node.entries:
            self.settle(sweep_verdict.passed(module, answer, outcome))
        if outcome.zygote is not None:
            self._grow_from(node, outcome.zygote, group, self.sharing if sharing is None else sharing)

    def _grow_from(self, node: Node, zygote: Zygote, group: Group, sharing: bool) -> None:
        self.hold(zygote)
        try:
            group.lead(node, zygote)
            self.expand(node, zygote, group, sharing)
        finally:
            self.release(zygote)

    def _import(self, zygote: Zygote, name: str, keep: bool = False, limits: Limits | None = None) -> Outcome:
        """From the zygote of its package or, where that dies again and again, from a bare one."""
        self.counts["forks"] += 1
        self.begin(name)
        outcome = Outcome()
        for source in (zygote, self.root):
            try:
                return Job(source, [name], limits or self.limits, self.folder, keep=keep).run()
            except ZygoteDied as error:
                outcome.ending, outcome.reason = "trouble", str(error)
        return outcome

    @staticmethod
    def depends_on_fork(outcome: Outcome, zygote: Zygote) -> bool:
        """Threads do not live on in forks. What waits for one of its zygote's fails for no fault of its own."""
        if zygote.threads == 0:
            return False
        error = (outcome.answer() or {}).get("error")
        return error is None or not _BY_WHAT_IS_THERE.issuperset(one["type"] for one in error["chain"])

    def fail(self, node: Node, outcome: Outcome, group: Group) -> None:
        trace = self._trace(node.name) if is_crash(outcome) else ""
        facts = sweep_verdict.failed({"module": node.name}, outcome, trace)
        group.failed.add(node.name)
        for module in node.entries:
            self.settle(sweep_verdict.of(module, facts))
        self._hand_down(node, facts, node.name)

    def _hand_down(self, node: Node, facts: Facts, package: str) -> None:
        for child in node.below.values():
            for module in child.entries:
                self.settle(sweep_verdict.inherited(module, facts, package))
            self._hand_down(child, facts, package)

    def _trace(self, name: str) -> str:
        """Where a crash happens. The process of the verdict had no fault handler: a module could see it."""
        limits = Limits(min(_CRASH_TRACE_SECONDS, self.limits.seconds), self.limits.memory)
        outcome = self._import(self._tracing_root(), name, limits=limits)
        lines = outcome.errors.decode("utf-8", "replace").split("\n") if is_crash(outcome) else []
        return "\n".join(line for line in lines if 'File "<zygote>"' not in line)


def is_failure(outcome: Outcome) -> bool:
    answer = outcome.answer()
    return outcome.ending != "answered" or answer is None or "error" in answer


def is_crash(outcome: Outcome) -> bool:
    """Ended by a signal of its own making: nobody crashes by SIGKILL."""
    if outcome.ending != "died" or outcome.status is None or not os.WIFSIGNALED(outcome.status):
        return False
    return os.WTERMSIG(outcome.status) != signal.SIGKILL

"""Siblings: the modules of one package that have nothing below them.

Each is imported alone as long as that is cheap. Where one was dear, its siblings are likely to load the same heavy
things again: they are imported in its process, after it, until one fails. Such a shared pass is believed only with a
reason:
- a module that a sibling had loaded before its turn is imported again, alone: it may be half of an import cycle;
- so is a module in whose process something was loaded that fails when it is imported alone: its pass may hang on the
  order of the siblings. These are known when all of the top-level package is done, and looked for again until none is
  left.
What is left unproven is a pass that needs what a sibling did elsewhere, in a registry say; method "exact" finds those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable

from imgcheck.collector import sweep_verdict
from imgcheck.collector.sweep_job import Job, Limits, Told
from imgcheck.collector.sweep_zygote import Zygote, ZygoteDied

if TYPE_CHECKING:  # it imports this module
    from imgcheck.collector.sweep_tree import Node, TreeSweep

_LARGEST_BATCH = 50
_STEP = 8  # forks; then another worker may help with the rest
_DEAR = 0.1  # CPU seconds
_SHARE = 0.25  # of the time limit: who needs more has the whole of it when it is alone


class Group:
    """A top-level package: what is known of the modules below it while they are swept."""

    def __init__(self, tree: TreeSweep) -> None:
        self.failed: set[str] = set()
        self.pending = 0
        self._tree = tree
        self._shared: list[tuple[Node, Told, set[str]]] = []
        self._top: tuple[Node, Zygote] | None = None

    def lead(self, node: Node, zygote: Zygote) -> None:
        """The zygote of the top-level package is kept to the end: suspects are imported again from it."""
        if self._top is None:
            self._top = node, zygote
            self._tree.hold(zygote)

    def suspend(self, node: Node, answer: Told, present: set[str]) -> None:
        """A shared pass, and the set of what was loaded in its process, to which later siblings still add nothing."""
        self._shared.append((node, answer, present))

    def resolve(self) -> None:
        """When nothing is pending: settles the shared passes that nothing speaks against, starts the others again."""
        shared, self._shared = self._shared, []
        suspects = []
        for node, answer, present in shared:
            if self.failed.isdisjoint(present):
                self._shared.append((node, answer, present))
            else:
                suspects.append(node)
        if suspects:
            assert self._top is not None, "siblings are below a package that was imported"
            self._tree.counts["again"] += len(suspects)
            self._tree.again(self, suspects, *self._top)
            return
        for node, answer, _ in self._shared:
            for module in node.entries:
                self._tree.settle(sweep_verdict.passed(module, answer, proof="siblings"))
        self._shared = []
        if self._top is not None:
            self._tree.release(self._top[1])
            self._top = None


class Siblings:
    """Those of one package, in the order of their names."""

    def __init__(self, tree: TreeSweep, group: Group, zygote: Zygote, nodes: list[Node], sharing: bool) -> None:
        self._tree = tree
        self._group = group
        self._zygote = zygote
        self._nodes = nodes
        self._sharing = sharing
        self._limits = Limits(tree.limits.seconds * _SHARE, tree.limits.memory)

    def run(self) -> None:
        nodes = self._nodes
        for _ in range(_STEP):
            if nodes:
                nodes = nodes[self._some(nodes) :]
        middle = len(nodes) // 2
        for half in (nodes[middle:], nodes[:middle]):
            if half:
                rest = Siblings(self._tree, self._group, self._zygote, half, self._sharing)
                self._tree.later(self._group, self._zygote, rest.run)

    def _some(self, nodes: list[Node]) -> int:
        """Settles the first, and more if they share its process. How many."""
        count = 0
        if self._sharing and len(nodes) > 1:
            count = self._one_process(nodes[:_LARGEST_BATCH])
        if count == 0:
            self._alone(nodes[0])
            count = 1
        return count

    def _alone(self, node: Node) -> None:
        self._tree.visit(node, self._zygote, self._group)

    def _one_process(self, nodes: list[Node]) -> int:
        """Imports siblings until one fails. How many need nothing more."""
        self._tree.counts["forks"] += 1
        names = [node.name for node in nodes]
        try:
            outcome = Job(self._zygote, names, self._limits, self._tree.folder, dear=_DEAR).run()
        except ZygoteDied:
            return 0
        done = len(outcome.answers)
        self._tree.counts["batches"] += done > 1
        last = outcome.answer()
        if last is not None and "error" in last:
            done -= 1
            if done == 0 and not self._tree.depends_on_fork(outcome, self._zygote):
                self._tree.fail(nodes[0], outcome, self._group)
                return 1
        self._sort_out(nodes[:done], outcome.answers)
        return done

    def _sort_out(self, nodes: list[Node], answers: Iterable[tuple[str, Told]]) -> None:
        present: set[str] = set()
        early = []
        for position, (node, (_, answer)) in enumerate(zip(nodes, answers)):
            present = present.union(answer.pop("new", ()))
            if position == 0:  # nothing came before it: as good as alone
                self._settle_first(node, answer)
            elif answer.pop("early", True):
                early.append(node)
            else:
                self._group.suspend(node, answer, present)
        self._tree.counts["again"] += len(early)
        for node in early:
            self._alone(node)

    def _settle_first(self, node: Node, answer: Told) -> None:
        for module in node.entries:
            self._tree.settle(sweep_verdict.passed(module, answer))

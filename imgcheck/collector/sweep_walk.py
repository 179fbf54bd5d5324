"""The walk: every module is imported once, in a process that many share, and what that does not prove is run alone.

A walker (zygote_walk.py) sees which modules were met half way, in import cycles, and which imports failed. Proved by it
are modules that their own parent packages load, and those that were executed with no cycle entered elsewhere. A new
failure is run alone once and, if it is the same there, raised again by the walker at each later import. Run alone are:
- modules of cycles that were entered elsewhere; what failed by a cycle; what left something that cannot be undone;
- what ended or hung the walker, or has had processes of its own for a second;
- failures that come of another's, in a cycle or of the same distribution: all of a few, some of many;
- in rounds, modules of the distribution that name one whose verdict changed;
- a share of all others, chosen by content, and more as long as that is cheap: a pass can hang on what another module
  put into a registry. First come those that register something themselves, by a decorator that is handed names of
  others. Where one disagrees, what is cheap of its package is run alone.
"""

from __future__ import annotations

import collections
import threading
from typing import Callable, Iterable, Mapping, Sequence

from imgcheck.collector.modules import Module
from imgcheck.collector.sweep_job import Limits
from imgcheck.collector.sweep_pool import Pool
from imgcheck.collector.sweep_verdict import Facts
from imgcheck.collector.sweep_walk_alone import Alone
from imgcheck.collector.sweep_walk_hub import Hub
from imgcheck.collector.sweep_walk_process import UnfitError, Walker, WalkRoot
from imgcheck.collector.sweep_walk_share import (
    BUDGET_FOR_ALL,
    BUDGET_FOR_ANY,
    BUDGET_FOR_REGISTERING,
    CHEAP,
    LESS_CHEAP,
    Share,
    same_failure,
)
from imgcheck.collector.sweep_zygote import Root, Zygote, ZygoteDied

_SHARE_OF_TIME = 0.25  # of the limit; who needs more has all of it alone
_MOST_DIFFERENCES = 2  # then a failure that differs alone ends no walker any more
_MOST_RESTARTS = 12  # in a row with fewer than so many turns between them: then the rest of it is run alone
_FEW_TURNS = 8
_ROUNDS = 5
_LOST = ("timeout", "signal", "memory", "lost")


class WalkSweep:
    """Gives every module its verdict.

    Args:
        root, tracing_root, limits, folder, settle: as TreeSweep has them.
        walk_root: a bare interpreter for walkers.
        common: modules that many are likely to import, the most wanted first.
    """

    def __init__(
        self,
        root: Root,
        tracing_root: Callable[[], Root],
        walk_root: WalkRoot,
        limits: Limits,
        folder: str,
        settle: Callable[[Facts], None],
        common: Sequence[str] = (),
    ) -> None:
        self._common = common
        self._alone = Alone(root, tracing_root, limits, folder)
        self._root: Zygote = walk_root
        self._hub: Zygote | None = None
        self._limits = Limits(limits.seconds * _SHARE_OF_TIME, limits.memory)
        self._folder = folder
        self._settle = settle
        self._lock = threading.Lock()
        self._walkers: list[Walker] = []
        self._differences: dict[str, int] = collections.Counter()
        self._stuck: set[str] = set()
        self.counts: dict[str, int] = collections.Counter()
        self.disagreements: list[str] = []

    def try_out(self) -> None:
        """Raises UnfitError where this Python's imports cannot be watched."""
        self._walkers.append(self._start())

    def run(self, modules: Iterable[Module], pool: Pool) -> None:
        """Fills the pool with the steps; they add more."""
        self._pool = pool
        by_distribution: dict[str, list[Module]] = {}
        for module in modules:
            by_distribution.setdefault(module["distribution"], []).append(module)
            self._alone.packages.add(module["module"].rpartition(".")[0])
        shares = [Share(entries, self._alone) for entries in by_distribution.values()]
        pool.add(lambda: self._begin(sorted(shares, key=lambda one: len(one.names))))

    def _begin(self, shares: Sequence[Share]) -> None:
        self._make_hub({name: share for share in shares for name in share.names})
        for share in shares:
            self._pool.add(lambda share=share: self._walk(share))  # type: ignore[misc]

    def _make_hub(self, owners: Mapping[str, Share]) -> None:
        root = self._root
        hub = Hub(
            lambda: self._walkers.pop() if self._walkers else Walker(root, self._limits, self._folder, self._answer),
            self._alone.limits,
        )
        try:
            self._hub = hub.make([name for name in self._common if name in owners])
        except (UnfitError, ZygoteDied):
            return
        if self._hub is not None:
            self._root = self._hub
            self.counts["common"] = len(hub.names)
            for name, turn in hub.turns.items():
                owners[name].take(name, turn)

    def close(self) -> None:
        for walker in self._walkers:
            walker.close()
        if self._hub is not None:
            self._hub.close()
        self._alone.close()

    # ------------------------------------------------------------ walking

    def _start(self) -> Walker:
        self.counts["walkers"] += 1
        return Walker(self._root, self._limits, self._folder, self._answer)

    def _walk(self, share: Share) -> None:
        with self._lock:
            walker = self._walkers.pop() if self._walkers else None
        todo = [name for name in share.names if name not in share.turns]
        restless = 0
        while todo and restless < _MOST_RESTARTS:
            try:
                walker = walker or self._start()
            except UnfitError:
                break
            with self._lock:
                stuck = list(self._stuck)
            before = len(share.turns)
            ending = walker.walk(todo, stuck, share.take)
            done = len(share.turns) - before
            todo = todo[done:]
            if ending == "answered":
                continue
            walker.close()
            walker = None
            self.counts["restarts: " + ending] += 1
            restless = restless + 1 if done < _FEW_TURNS and ending != "full" else 0
            if ending not in ("damaged", "full") and todo:
                self._end_of_walker(share, todo.pop(0))
        if walker is not None:
            with self._lock:
                self._walkers.append(walker)
        self.counts["walked"] += len(share.turns)
        self._alone_all(share, share.suspects(todo), lambda: self._round(share, _ROUNDS, self._prove))

    def _end_of_walker(self, share: Share, name: str) -> None:
        """A module ended its walker, or took too long: what it does alone counts, and is not tried again by others."""
        facts = self._alone.facts(name, dear=True)
        share.give_up(name)
        if facts is not None and (facts["status"] in _LOST or (facts["status"] == "exit" and facts["error"] is None)):
            with self._lock:
                self._stuck.add(name)

    def _answer(self, name: str, kind: str, message: str) -> tuple[bool, bool]:
        """Whether a failure is the same alone, and whether a walker goes on if it is not."""
        self.counts["asked"] += 1
        facts = self._alone.facts(name)
        if facts is not None and same_failure(facts["error"], kind, message):
            return True, False
        with self._lock:
            self._differences[name] += 1
            return False, self._differences[name] > _MOST_DIFFERENCES

    # ------------------------------------------------------------ alone

    def _alone_all(
        self,
        share: Share,
        names: Iterable[str],
        then: Callable[[], None],
        seconds: Callable[[], float] | None = None,
    ) -> None:
        """Runs modules alone, spread over the workers, and goes on when all are done.

        Args:
            share: of whose budget.
            names: of the modules.
            then: what is done after.
            seconds: what one may take, if they are proofs, which end with the budget.
        """
        waiting = list(dict.fromkeys(names))
        if seconds is None:  # those of one package one after the other, while its zygote is there
            waiting.sort()
        if not waiting:
            then()
            return
        left = [len(waiting)]

        def one(name: str) -> None:
            if seconds is None or share.may_spend():
                self._one_alone(share, name, seconds() if seconds else None)
            with self._lock:
                left[0] -= 1
                done = not left[0]
            if done:
                then()

        for name in reversed(waiting):
            self._pool.add(lambda name=name: one(name))  # type: ignore[misc]

    def _one_alone(self, share: Share, name: str, seconds: float | None) -> None:
        self._alone.spent()
        self._alone.facts(name, seconds)
        with self._lock:
            self.counts["alone"] += 1
            share.spend(self._alone.spent())

    def _round(self, share: Share, rounds: int, then: Callable[[Share], None]) -> None:
        """Whoever names a module whose verdict changed is run alone as well."""
        names = share.dependents() if rounds else []
        self.counts["dependents"] += len(names)
        if names:
            self._alone_all(share, names, lambda: self._round(share, rounds - 1, then))
        else:
            then(share)

    def _prove(self, share: Share) -> None:
        registering, any_price, cheap = share.to_prove()

        def then_any() -> None:
            share.start_spending(BUDGET_FOR_ANY, anew=True)
            self._alone_all(share, any_price, then_cheap, share.left_to_spend)

        def then_cheap() -> None:
            share.start_spending(BUDGET_FOR_ALL)
            self._alone_all(share, cheap, lambda: self._compare(share), lambda: CHEAP)

        share.start_spending(BUDGET_FOR_REGISTERING, anew=True)
        self._alone_all(share, registering, then_any, lambda: LESS_CHEAP)

    def _compare(self, share: Share) -> None:
        names, more = share.disagreements()
        if not names:
            self._end(share)
            return
        self.disagreements.extend(names)
        share.start_spending(BUDGET_FOR_REGISTERING, anew=True)
        self._alone_all(share, more, lambda: self._round(share, _ROUNDS, self._compare), lambda: CHEAP)

    def _end(self, share: Share) -> None:
        for key, count in share.counts.items():
            self.counts[key] += count
        for facts in share.verdicts():
            self._settle(facts)
        self._alone.let_go(share.names)

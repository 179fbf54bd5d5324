"""The hub: a walker that holds what many distributions import. All others are forked from it.

So what is shared is executed once, not once in each walker and again in each that takes the place of one, and its
memory is shared as well. It is chosen by metadata: what the distributions with the most modules require (core metadata,
Requires-Dist), optional requirements included.
"""

from __future__ import annotations

import re
from typing import Callable, Iterable, Mapping, Sequence

from imgcheck.collector.modules import Module
from imgcheck.collector.sweep_job import Limits
from imgcheck.collector.sweep_walk_process import Turn, Walker
from imgcheck.collector.sweep_zygote import Zygote, ZygoteDied

_MANY_MODULES = 300  # of distributions that require it: then it is worth a place
_MOST = 40
_LARGEST = 420 << 20  # resident bytes; nothing is added to one that has them
_TRIES = 4
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

Start = Callable[[], Walker]


def choose(modules: Iterable[Module], requires: Mapping[str, Sequence[str]]) -> list[str]:
    """Top-level modules that others are likely to import, the most wanted first.

    Args:
        modules: those of the sweep.
        requires: of each distribution by its name the Requires-Dist lines.
    """
    tops: dict[str, list[str]] = {}
    sizes: dict[str, int] = {}
    for module in modules:
        owner = _normal(module["distribution"])
        sizes[owner] = sizes.get(owner, 0) + 1
        if "." not in module["module"] and module["group"] == "module" and module["module"][:1] != "_":
            tops.setdefault(owner, []).append(module["module"])
    wanted: dict[str, int] = {}
    for name, lines in requires.items():
        for required in {_normal(found.group()) for found in map(_NAME.match, lines) if found}:
            wanted[required] = wanted.get(required, 0) + sizes.get(_normal(name), 0)
    often = [one for one in wanted if wanted[one] >= _MANY_MODULES and one in tops]
    chosen = sorted(often, key=lambda one: -wanted[one])
    return [name for one in chosen[:_MOST] for name in tops[one]]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


class Hub:
    """Makes the hub, and makes it again when a module has killed it.

    Args:
        start: gives a bare walker.
        limits: of each module.
    """

    def __init__(self, start: Start, limits: Limits) -> None:
        self._bare = start
        self._limits = limits
        self.names: list[str] = []
        self.turns: dict[str, Turn] = {}

    def make(self, names: Sequence[str]) -> Zygote | None:
        """None where there are none, or too many of them are no good for company."""
        names = list(names)
        for _ in range(_TRIES if names else 0):
            walker = self._start()
            self.names, self.turns = [], {}
            bad = self._load(walker, names)
            if bad is None:
                return walker.become_zygote(self._again)
            walker.close()
            names.remove(bad)
        return None

    def _start(self) -> Walker:
        walker = self._bare()
        walker.become_hub(self._limits)
        return walker

    def _load(self, walker: Walker, names: Iterable[str]) -> str | None:
        """The first module that leaves the walker unfit."""
        for name in names:
            if walker.size() > _LARGEST:
                return None
            told: list[Turn] = []
            ending = walker.walk([name], (), lambda _name, turn, told=told: told.append(turn))  # type: ignore[misc]
            if ending != "answered":
                return name
            self.names.append(name)
            self.turns[name] = told[0]
        return None

    def _again(self, zygote: Zygote) -> None:
        walker = self._start()
        ending = walker.walk(self.names, (), lambda _name, _turn: None) if self.names else "answered"
        if ending != "answered":
            walker.close()
            raise ZygoteDied("the modules that many import could not be imported again")
        zygote.take_over(walker.become_zygote(self._again))

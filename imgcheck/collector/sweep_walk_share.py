"""One distribution's share of a walk: what the walkers told of its modules, and what is to be run alone."""

from __future__ import annotations

import collections
import re
import zlib
from typing import Any, Iterable, Sequence

from imgcheck.collector import sweep_verdict
from imgcheck.collector.modules import Module
from imgcheck.collector.sources import read_source
from imgcheck.collector.sweep_job import Outcome
from imgcheck.collector.sweep_verdict import Facts
from imgcheck.collector.sweep_walk_alone import Alone
from imgcheck.collector.sweep_walk_process import Turn

_FEW = 6  # failures by one of the same distribution, which may look at who imports it: all are run alone
_SAMPLE = 1  # of more, and of those by a module of another
BUDGET_FOR_REGISTERING = 0.6  # for proofs of those that hand names of others to decorators: they are few
BUDGET_FOR_ANY = 0.02  # for proofs of any price: times the CPU seconds of the walk
BUDGET_FOR_ALL = 0.06  # for those and the cheap ones after them
CHEAP = 0.1  # seconds; a cheap proof that takes longer is given up
LESS_CHEAP = 0.3  # seconds for those that register something
_PRICE = 0.06  # CPU seconds that one proof takes, about: of shares that have less, some have one
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+")
_CALLS = re.compile(rb"^@?[a-z_]\w*(?:\.\w+)*\(.*?[\w)]\.[a-z]|^@?[a-z_]\w*(?:\.\w+){2,}\(", re.MULTILINE | re.DOTALL)
_DECORATORS = re.compile(rb"^@.*?(?=^(?:async |def |class ))", re.MULTILINE | re.DOTALL)
_DOTTED = re.compile(rb"[A-Za-z_]\w*(?:\.\w+){2,}")
_UNPROVED = frozenset(("touched", "soft", "unknown"))


class Share:
    """The modules of one distribution in the order of the walk."""

    def __init__(self, entries: Sequence[Module], alone: Alone) -> None:
        self._alone = alone
        self._entries: dict[str, list[Module]] = {}
        for module in entries:
            self._entries.setdefault(module["module"], []).append(module)
        self.names = list(self._entries)
        self.turns: dict[str, Turn | None] = {}
        self.counts: dict[str, int] = collections.Counter()
        self._reasons: dict[str, str] = {}
        self._seen: set[str] = set()
        self._asked: set[str] = set()  # proofs
        self._spent = 0.0
        self._walked = 0.0
        self._budget = 0.0
        self._before: float | None = None
        self._sources: dict[str, bytes] = {}

    def take(self, name: str, turn: Turn) -> None:
        self.turns[name] = turn
        self._walked += turn.answer.get("cpu") or 0.0
        damage = [one.split()[0] for one in turn.damage if (one, turn.how) != ("swallowed", "stuck")]
        if turn.redo or damage or turn.how in _UNPROVED:
            self._reasons[name] = "redo" if turn.redo else "left " + "+".join(damage) if damage else turn.how

    def give_up(self, name: str) -> None:
        """It ended its walker."""
        self.turns[name] = None
        self._reasons[name] = "ended a walker"

    # ------------------------------------------------------------ what to run alone

    def suspects(self, unwalked: Iterable[str]) -> list[str]:
        for name in unwalked:
            self.turns[name] = None
            self._reasons[name] = "not walked"
        for reason in self._reasons.values():
            self.counts["suspects: " + reason] += 1
        alike = self._alike()
        found = [name for name in self._reasons if not any(name in names for names in alike.values())]
        for root, names in alike.items():
            whole = root in self._entries and len(names) <= _FEW
            found += names if whole else sorted(names, key=_mixed)[:_SAMPLE]
        found += [turn.below for turn in self.turns.values() if turn and turn.below and turn.below not in self._entries]
        return [name for name in found if self._alone.known(name) is None]

    def _alike(self) -> dict[str, list[str]]:
        """What fails for the same module, which fails alone as well: of those that are not as good as seen alone."""
        groups: dict[str, list[str]] = {}
        for name, turn in self.turns.items():
            if turn is None or not turn.root or turn.root == name or self._below_failure(name):
                continue
            stuck = turn.how == "stuck" and not self._is_timeout(turn.root)
            like = self._reasons.get(name) or (stuck and "stuck") or (turn.root in self._entries and turn.how)
            if like in ("soft", "stuck", "failed"):
                groups.setdefault(turn.root, []).append(name)
        return groups

    def _is_timeout(self, name: str) -> bool:
        facts = self._alone.known(name)
        return facts is not None and facts["status"] == "timeout"

    def _below_failure(self, name: str) -> bool:
        for package in _packages(name):
            facts = self._alone.known(package)
            turn = self.turns.get(package)
            if (facts and facts["status"] != "ok") or (turn and not turn.passed):
                return True
        return False

    def dependents(self) -> list[str]:
        """Modules that name one whose verdict was another alone, and of derived failures the rest of such a group."""
        changed = [name for name in self._changed() if name not in self._seen]
        self._seen.update(changed)
        if not changed:
            return []
        roots = {turn.root for name in changed for turn in [self.turns[name]] if turn and turn.root}
        topmost = [name for name in changed if self._seen.isdisjoint(_packages(name))]  # who names others names these
        names = self._naming([name for name in topmost if self._reasons.get(name) != "touched"])
        found = []
        for name, turn in self.turns.items():
            if turn is None or self._alone.known(name) is not None:
                continue
            if turn.root in roots or name in names or not set(changed).isdisjoint(turn.met):
                found.append(name)
        return found

    def _naming(self, changed: Sequence[str]) -> set[str]:
        """Modules whose source names one of these."""
        if not changed:
            return set()
        leaves = sorted({name.rpartition(".")[2].encode("utf-8", "replace") for name in changed})
        pattern = re.compile(rb"\b(?:" + b"|".join(map(re.escape, leaves)) + rb")\b")
        passed = [name for name, turn in self.turns.items() if turn and turn.passed and turn.how != "parents"]
        return {name for name in passed if pattern.search(self._source(name))}

    def _changed(self) -> list[str]:
        found = []
        for name, turn in self.turns.items():
            facts = self._alone.known(name)
            if facts is not None and turn is not None and not turn.redo and not _agree(turn, facts):
                found.append(name)
        return found

    def _source(self, name: str) -> bytes:
        if name not in self._sources:
            path = self._entries[name][0].get("path") or ""
            self._sources[name] = (read_source(path) or b"") if path.endswith(".py") else b""
        return self._sources[name]

    # ------------------------------------------------------------ proofs of what seems well

    def to_prove(self) -> tuple[list[str], list[str], list[str]]:
        """Passes, and failures that come of another's, to be run alone within a budget of their own each.

        Cheap ones that register something with others, some of any price, and cheap ones.
        """
        open_ones = [
            name
            for name, turn in self.turns.items()
            if turn
            and turn.how in ("own", "before", "failed")
            and self._alone.known(name) is None
            and not self._below_failure(name)
        ]
        self._asked.update(open_ones)
        marks = {name: zlib.crc32(self._source(name), _mixed(name)) for name in open_ones}
        any_price = sorted(open_ones, key=lambda name: marks[name])
        cheap = sorted(open_ones, key=lambda name: (-self._says_much(name), marks[name]))
        registered = self._registered()
        registering = [name for name in sorted(open_ones, key=lambda name: -registered[name]) if registered[name]]
        return registering, any_price, cheap

    def _registered(self) -> dict[str, int]:
        """How many names of others' names each hands to decorators of its functions, and what it loads below it."""
        counts: dict[str, int] = collections.Counter()
        for name, turn in self.turns.items():
            source = self._source(name) if turn and turn.passed else b""
            found = sum(len(_DOTTED.findall(one)) for one in _DECORATORS.findall(source)) if b"\n@" in source else 0
            if found:
                counts[self._loader(name)] += found
        return counts

    def _loader(self, name: str) -> str:
        """The module itself, or the package that loads it."""
        turn = self.turns.get(name)
        while turn and turn.how == "parents" and "." in name:
            name = name.rpartition(".")[0]
            turn = self.turns.get(name)
        return name

    def _says_much(self, name: str) -> bool:
        """Whether its body calls what others may have registered something with."""
        return _CALLS.search(self._source(name)) is not None

    def start_spending(self, share_of_walk: float, *, anew: bool = False) -> None:
        """On proofs; unless anew, with what was spent on them before. What does not pay for one does so by chance."""
        if anew or self._before is None:
            self._before = self._spent
        budget = share_of_walk * self._walked
        chance = _mixed(self.names[0]) / (1 << 32)
        self._budget = self._before + (budget if budget > chance * _PRICE else 0.0)

    def left_to_spend(self) -> float:
        return max(CHEAP, self._budget - self._spent)

    def may_spend(self) -> bool:
        return self._spent < self._budget

    def spend(self, seconds: float) -> None:
        self._spent += seconds

    def disagreements(self) -> tuple[list[str], list[str]]:
        """Passes that were none alone, without a sign of it in the walk; and the rest of their packages."""
        names = [name for name in self._changed() if name in self._asked]
        self._asked.difference_update(names)
        packages = tuple({name.rpartition(".")[0] + "." for name in names if "." in name})
        more = [name for name, turn in self.turns.items() if turn and packages and name.startswith(packages)]
        return names, [name for name in more if self._alone.known(name) is None]

    # ------------------------------------------------------------ verdicts

    def verdicts(self) -> Iterable[Facts]:
        found: dict[str, Facts] = {}
        for name in sorted(self.names, key=lambda one: one.count(".")):
            found[name] = facts = self._verdict(name, found)
            for module in self._entries[name]:
                yield sweep_verdict.of(module, facts)

    def _verdict(self, name: str, found: dict[str, Facts]) -> Facts:
        module = {"module": name}
        for package in _packages(name):
            facts = self._alone.known(package) or found.get(package)
            if facts is not None and facts["status"] != "ok":
                return sweep_verdict.inherited(module, facts, facts["inherited_from"] or package)
        alone = self._alone.known(name)
        if alone is not None:
            return alone
        turn = self.turns.get(name)
        if turn is None:
            return sweep_verdict.lost(module, "the walk gave it no verdict")
        root = self._alone.known(turn.root) if turn.how == "stuck" and turn.root else None
        if root is not None:
            return {**root, **sweep_verdict.of(module, root), "reason": f"it imports {turn.root}"}
        return _told(module, turn)


def _told(module: Module, turn: Turn) -> Facts:
    if turn.passed:
        return sweep_verdict.passed(module, turn.answer, proof="parents" if turn.how == "parents" else "walk")
    outcome = Outcome()
    outcome.ending = "answered"
    outcome.answers.append((module["module"], turn.answer))
    return sweep_verdict.failed(module, outcome)


def same_failure(error: dict[str, Any] | None, kind: str, message: str) -> bool:
    """Whether it is the same, the addresses of objects aside."""
    if error is None or error["type"] != kind:
        return False
    return _ADDRESS.sub("0x", str(error["message"])) == _ADDRESS.sub("0x", message)


def _agree(turn: Turn, facts: Facts) -> bool:
    if turn.how == "stuck":
        return bool(facts["status"] != "ok")
    if turn.passed or facts["status"] == "ok":
        return turn.passed is (facts["status"] == "ok")
    error = turn.answer["error"]
    return same_failure(facts["error"], error["type"], error["message"])


def _packages(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _mixed(name: str) -> int:
    return zlib.crc32(name.encode("utf-8", "surrogatepass"))

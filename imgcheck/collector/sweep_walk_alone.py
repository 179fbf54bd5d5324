"""Modules imported alone on demand, each once, from zygotes of their packages that are kept for a while."""

from __future__ import annotations

import collections
import signal
import threading
from contextlib import contextmanager
from typing import Callable, Iterable, Iterator

from imgcheck.collector import sweep_verdict
from imgcheck.collector.modules import Module
from imgcheck.collector.sweep_job import Limits, Outcome
from imgcheck.collector.sweep_tree import TreeSweep, is_failure
from imgcheck.collector.sweep_verdict import Facts
from imgcheck.collector.sweep_zygote import Root, Zygote

_MOST_ZYGOTES = 6
_DEAR = 0.2  # CPU seconds; a zygote that took more is kept longer
_FOR_ALL_OF_IT = 5  # times the seconds that a module has: what a package loads is there for all of its modules
_FORK = 0.01  # CPU seconds that a process costs beside its own


class _PackageFailsError(Exception):
    """`args` names the package."""


class _TooDearError(Exception):
    """It takes more time than there is for it."""


class Alone(TreeSweep):
    """The exact verdicts: what a module does in a process that holds its parent packages and nothing else."""

    def __init__(self, root: Root, tracing_root: Callable[[], Root], limits: Limits, folder: str) -> None:
        super().__init__(root, tracing_root, limits, folder, lambda _: None, sharing=False)
        self._known: dict[str, Facts] = {}
        self._zygotes: collections.OrderedDict[str, Zygote] = collections.OrderedDict()
        self._lock = threading.RLock()
        self._thread = threading.local()
        self._locks: dict[str, threading.Lock] = {}
        self.packages: set[str] = set()  # of which zygotes are likely to be wanted
        self._dear: dict[str, float] = {}  # packages that took longer than so many seconds

    def known(self, name: str) -> Facts | None:
        return self._known.get(name)

    def facts(self, name: str, seconds: float | None = None, *, dear: bool = False) -> Facts | None:
        """The verdict for a name; None where it takes more than so many seconds.

        Args:
            name: of the module.
            seconds: for it.
            dear: it is known to take long, and not to be tried twice.
        """
        with self._locked(name):
            found = self._known.get(name)
            if found is None:
                found = self._find(name, seconds, dear)
                if found is not None:
                    self._known[name] = found
            return found

    def _find(self, name: str, seconds: float | None, dear: bool) -> Facts | None:
        try:
            zygote = self._hold(name.rpartition(".")[0], seconds)
        except _PackageFailsError as error:
            package = error.args[0]
            facts = self._known[package]
            return sweep_verdict.inherited(_module(name), facts, facts["inherited_from"] or package)
        except _TooDearError:
            return None
        try:
            return self._find_from(self.root if dear and zygote.threads else zygote, name, seconds)
        except _PackageFailsError:
            return self._known[name]
        except _TooDearError:
            return None
        finally:
            self._release(zygote)

    def _find_from(self, zygote: Zygote, name: str, seconds: float | None) -> Facts:
        if name in zygote.loaded:
            return sweep_verdict.passed(_module(name), {"file": zygote.loaded[name]}, proof="parents")
        if name in self.packages and seconds is None:
            self._release(self._zygote(name, zygote, seconds))
            return self._known[name]
        outcome = self._outcome(zygote, name, seconds=seconds)
        if seconds is not None and outcome.ending == "timeout":
            raise _TooDearError
        return self._verdict(name, outcome)

    def _outcome(self, zygote: Zygote, name: str, keep: bool = False, seconds: float | None = None) -> Outcome:
        limits = self.limits if seconds is None else Limits(seconds, self.limits.memory)
        outcome = self._import(zygote, name, keep, limits)
        if is_failure(outcome) and self.depends_on_fork(outcome, zygote):
            outcome = self._import(self.root, name, keep, limits)
        own = outcome.cpu or (outcome.answer() or {}).get("cpu") or 0.0
        self._thread.cpu = getattr(self._thread, "cpu", 0.0) + own + _FORK
        return outcome

    def spent(self) -> float:
        """CPU seconds of what this thread had run since it asked last."""
        cpu: float = getattr(self._thread, "cpu", 0.0)
        self._thread.cpu = 0.0
        return cpu

    def _verdict(self, name: str, outcome: Outcome) -> Facts:
        if not is_failure(outcome):
            return sweep_verdict.passed(_module(name), outcome.answer() or {}, outcome)
        facts = sweep_verdict.failed(_module(name), outcome)
        if facts["status"] == "signal" and facts["signal"] != signal.SIGKILL:
            facts = sweep_verdict.failed(_module(name), outcome, self._trace(name))
        return facts

    # ------------------------------------------------------------ zygotes

    def _hold(self, package: str, seconds: float | None) -> Zygote:
        """The zygote that holds `import package` and no more; it lives until it is released."""
        zygote: Zygote = self.root
        with self._lock:
            zygote.users += 1
        parts = package.split(".") if package else []
        for count in range(1, len(parts) + 1):
            name = ".".join(parts[:count])
            if name in zygote.loaded:
                continue
            try:
                below = self._zygote(name, zygote, seconds)
            finally:
                self._release(zygote)
            zygote = below
        return zygote

    def _zygote(self, name: str, above: Zygote, seconds: float | None) -> Zygote:
        with self._locked("zygote of " + name):
            with self._lock:
                found = self._zygotes.get(name)
                if found is not None:
                    self._zygotes.move_to_end(name)
                    found.users += 1
                    return found
            known = self._known.get(name)
            if known is not None and known["status"] != "ok":
                raise _PackageFailsError(name)
            if seconds is not None:
                seconds *= _FOR_ALL_OF_IT
                if seconds <= self._dear.get(name, 0.0):
                    raise _TooDearError
            outcome = self._outcome(above, name, keep=True, seconds=seconds)
            if seconds is not None and outcome.ending == "timeout":
                self._dear[name] = seconds
                raise _TooDearError
            facts = self._verdict(name, outcome)
            self._known.setdefault(name, facts)
            if outcome.zygote is None:
                self._known[name] = facts
                raise _PackageFailsError(name)
            with self._lock:
                outcome.zygote.users += 1
                self._zygotes[name] = outcome.zygote
            return outcome.zygote

    def _release(self, zygote: Zygote) -> None:
        with self._lock:
            zygote.users -= 1
            unused = [name for name, one in self._zygotes.items() if not one.users]
            unused.sort(key=lambda name: self._price(name) > _DEAR)  # the dear ones last, else the oldest first
            closing = [self._zygotes.pop(name) for name in unused[: max(0, len(self._zygotes) - _MOST_ZYGOTES)]]
        for one in closing:
            one.close()

    def let_go(self, names: Iterable[str]) -> None:
        """Zygotes of modules that are settled: nobody will ask for them again."""
        with self._lock:
            closing = [name for name in names if name in self._zygotes and not self._zygotes[name].users]
            zygotes = [self._zygotes.pop(name) for name in closing]
        for one in zygotes:
            one.close()

    def _price(self, name: str) -> float:
        """CPU seconds that it took to make the zygote."""
        price: float = self._known[name].get("cpu") or 0.0
        return price

    def close(self) -> None:
        with self._lock:
            closing = list(self._zygotes.values())
            self._zygotes.clear()
        for one in closing:
            one.close()

    @contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        with self._lock:
            lock = self._locks.setdefault(name, threading.Lock())
        with lock:
            yield


def _module(name: str) -> Module:
    return {"module": name}

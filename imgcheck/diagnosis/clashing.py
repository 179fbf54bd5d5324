"""Modules imported together in two orders: which of them fell out with which."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from imgcheck.diagnosis.endings import signal_words
from imgcheck.diagnosis.half_loaded import half_loads
from imgcheck.facts.together import Searched, TogetherFacts, TogetherRun


@dataclass(frozen=True, kw_only=True)
class Clash:
    """The first module of a run that fails, and fails in company only.

    Args:
        module: what failed; empty where the process ended after all had been imported.
        after: what must be imported before it that it fails.
        pair: that one alone is enough.
        how: as "ImportError: undefined symbol: x", or how the process ended.
        later: modules that failed after it in the same process.
        evidence: the traceback, or what was written last.
    """

    module: str
    how: str
    after: str = ""
    pair: bool = False
    alone: bool = False
    later: tuple[str, ...] = ()
    evidence: str = ""

    @property
    def company(self) -> str:
        """As "imported after torch"."""
        if not self.after:
            return "imported with the others"
        return f"imported after {self.after}" + ("" if self.pair else " and others")


def clashes_of(together: TogetherFacts) -> Iterator[Clash]:
    """At most one a run that fails in company, and each module that fails alone as well; none is told twice."""
    known: set[tuple[str, str]] = set()
    for run in together.runs:
        for clash in _of_run(run):
            key = (clash.module, clash.how)
            if key not in known:
                known.add(key)
                yield clash


def half_loaded(together: TogetherFacts) -> dict[str, tuple[str, str]]:
    """A line that tells of a half-broken load -> the module that was being imported, and what the line means."""
    found: dict[str, tuple[str, str]] = {}
    for run in together.runs:
        failed = _failed(run)
        for written in run.output:
            for line, meaning in half_loads(written.text) if written.module not in failed else ():
                found.setdefault(line, (written.module, meaning))
    return found


def _of_run(run: TogetherRun) -> Iterator[Clash]:
    failed = _failed(run)
    searched = {one.module: one for one in run.searched}
    for place, (module, (how, evidence)) in enumerate(failed.items()):
        one = searched.get(module, Searched(module=module, alone=False))
        later = tuple(failed)[place + 1 :]
        yield Clash(
            module=module,
            how=how,
            after=one.partner,
            pair=one.pair,
            alone=one.alone,
            later=() if one.alone else tuple(other for other in later if other),
            evidence=evidence,
        )
        if not one.alone:
            return


def _failed(run: TogetherRun) -> dict[str, tuple[str, str]]:
    """Module -> how it failed, and what shows it, in the order of their import."""
    found = {one.module: (f"{one.type}: {one.message}".removesuffix(": "), one.trace) for one in run.failures}
    if run.ended != "done":
        last = "\n".join(one.text for one in run.output if one.module == run.at)
        found[run.at] = (_ending(run), last)
    return found


def _ending(run: TogetherRun) -> str:
    if run.ended == "signal":
        return f"the process was ended by {signal_words(run.signal)}"
    if run.ended == "timeout":
        return "it did not end in time"
    return f"the process ended with status {run.exit_code}"

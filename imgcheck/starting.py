"""Probes of one image: side by side as far as they may, those that need others after them, failed ones once more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from imgcheck.contract.probes import Probe
from imgcheck.errors import CollectorError
from imgcheck.facts.collect import Collector
from imgcheck.facts.model import ImageFacts
from imgcheck.facts.probes import ProbeFacts
from imgcheck.progress import Progress
from imgcheck.side_by_side import side_by_side

AT_ONCE: Final = 4


def start_probes(
    collector: Collector, image: ImageFacts, probes: tuple[Probe, ...], progress: Progress
) -> tuple[dict[str, ProbeFacts], list[str]]:
    """Facts by name, and why some could not be had.

    Each probe has a container, and so a network, of its own: two may use the same port. On the host's network they run
    one after another.
    """
    run = _Run(collector, image, progress)
    waiting = list(probes)
    while waiting:
        ready, waiting = _ready(waiting)
        run.round(ready)
    return run.found, run.reasons


def _ready(waiting: list[Probe]) -> tuple[list[Probe], list[Probe]]:
    """Probes that no other one has to come before, and the others. There are no circles: `imgcheck.probes`."""
    names = {probe.name for probe in waiting}
    ready = [probe for probe in waiting if names.isdisjoint(probe.needs)]
    return ready, [probe for probe in waiting if probe not in ready]


@dataclass
class _Run:
    collector: Collector
    image: ImageFacts
    progress: Progress
    found: dict[str, ProbeFacts] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)

    def round(self, probes: Iterable[Probe]) -> None:
        """What needs nothing more; what failed in company, where others took its time, is tried once more alone."""
        chosen = [probe for probe in probes if not self._skipped(probe)]
        if not chosen:
            return
        with self.progress.step(f"Starting {', '.join(probe.name for probe in chosen)}"):
            self._side_by_side(chosen)
        for probe in chosen:
            again = probe.retries + (len(chosen) > 1)
            for attempt in range(2, again + 2):
                if not self._failed(probe):
                    break
                with self.progress.step(f"Starting {probe.name} once more, alone"):
                    self._once_more(probe, attempt)

    def _skipped(self, probe: Probe) -> bool:
        """Whether what it needs has failed, or was skipped itself."""
        for name in probe.needs:
            told = self.found.get(name)
            if told is None or told.reached != "done":
                why = "is not known" if told is None else "was skipped" if told.reached == "skipped" else "is broken"
                detail = f"needs {name}, which {why}"
                self.found[probe.name] = ProbeFacts(name=probe.name, reached="skipped", detail=detail)
                return True
        return False

    def _failed(self, probe: Probe) -> bool:
        return probe.name in self.found and self.found[probe.name].reached != "done"

    def _once_more(self, probe: Probe, attempt: int) -> None:
        before = self.found.pop(probe.name)
        try:
            facts = self.collector.probe(self.image, probe, afresh=True)
        except CollectorError as error:
            self.reasons.append(f"{probe.name}: {error.whole}")
            return
        self.found[probe.name] = facts.model_copy(update={"attempts": attempt})
        if facts.reached == "done":
            why = before.detail or f"it came no further than {before.reached!r}"
            self.collector.notices.append(f"probe {probe.name} failed, and then succeeded alone: at first {why}")

    def _side_by_side(self, probes: list[Probe]) -> None:
        together = AT_ONCE if self.collector.runtime.network == "none" else 1  # on one loopback ports collide
        tasks = {probe.name: partial(self.collector.probe, self.image, probe) for probe in probes}
        found, reasons = side_by_side(self.collector, tasks, together, self.progress)
        self.found.update(found)
        self.reasons += reasons

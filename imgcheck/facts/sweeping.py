"""One import sweep over as many containers as it takes: a module that takes the collector down takes nobody along.

Where a sweep breaks off, what has no verdict yet is imported one by one in a further container, each announced before
it begins. The one announced last is tried once more alone, and accused only where that breaks off as well: a container
can also be ended from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from imgcheck.errors import CollectorError, ContainerDisturbedError
from imgcheck.facts.answers import Answer

MOST_CULPRITS: Final = 16
"""Modules that may end a container each; what is left then is not imported, and told so."""

OnAdvance = Callable[[int, int | None], None]
Ask = Callable[[Mapping[str, Any]], Iterator[Answer]]
_Key = tuple[str, str]
_SUMMARY: Final = ("method", "fallback", "disagreements", "peak_memory")


def sweep(ask: Ask, options: Mapping[str, Any], advance: OnAdvance) -> dict[str, Any]:
    """The parts of ImportFacts.

    Args:
        ask: the job of these options, in a container of its own.
        options: of the job.
        advance: is told how many modules have a verdict, and of how many.

    Raises:
        CollectorError: not even the list of modules came, or a verdict is missing for no module's fault.
    """
    found = _Sweep(ask, dict(options), advance)
    broken = found.attempt(found.options).error
    if broken and (not found.targets or options["method"] == "story"):
        raise broken
    if broken or found.lost_some:
        found.forget_lost()
        found.one_by_one()
    missing = len(found.pending())
    if missing or found.targets is None:
        raise CollectorError(f"{len(found.targets or ())} modules were to be imported, and {missing} have no verdict")
    return found.parts(broken)


@dataclass
class _Attempt:
    """What one container came to. `begun` is the module announced last."""

    begun: str = ""
    error: CollectorError | None = None


@dataclass
class _Sweep:
    ask: Ask
    options: dict[str, Any]
    advance: OnAdvance
    targets: dict[_Key, dict[str, Any]] | None = None
    verdicts: dict[_Key, Any] = field(default_factory=dict)
    left_out: Any = field(default_factory=dict)
    summary: dict[str, Any] = field(default_factory=dict)
    cpu: float = 0.0
    wall: float = 0.0

    def attempt(self, options: Mapping[str, Any]) -> _Attempt:
        attempt = _Attempt()
        try:
            for answer in self.ask(options):
                self._take(answer, attempt)
        except ContainerDisturbedError:
            raise
        except CollectorError as error:
            attempt.error = error
        return attempt

    def _take(self, answer: Answer, attempt: _Attempt) -> None:
        fields = answer.fields
        if answer.kind == "total" and self.targets is None:
            self.targets = {_key(one): one for one in fields["modules"]}
            self.left_out = fields["left_out"]
        elif answer.kind == "begun":
            attempt.begun = str(fields["module"])
        elif answer.kind == "module":
            self.verdicts[_key(fields["facts"])] = fields["facts"]
        elif answer.kind == "summary":
            summary = fields["facts"]
            self.cpu, self.wall = self.cpu + summary["cpu"], self.wall + summary["wall"]
            self.summary = self.summary or {name: summary[name] for name in _SUMMARY if name in summary}
        self.advance(len(self.verdicts), len(self.targets or ()) or None)

    def pending(self) -> list[_Key]:
        return [key for key in self.targets or () if key not in self.verdicts]

    @property
    def lost_some(self) -> bool:
        """A few of many, which a neighbour may have done; where all are lost there is no neighbour."""
        lost = [one["status"] for one in self.verdicts.values()].count("lost")
        return 0 < lost < len(self.verdicts)

    def forget_lost(self) -> None:
        self.verdicts = {key: one for key, one in self.verdicts.items() if one["status"] != "lost"}

    def one_by_one(self) -> None:
        culprits = 0
        options = {**self.options, "method": "exact", "jobs": 1, "announce": True}
        while pending := self.pending():
            if culprits == MOST_CULPRITS:
                self._settle(pending, "lost", f"not imported: {culprits} modules before it took their containers down")
                return
            attempt = self.attempt({**options, "only": sorted({name for name, _ in pending})})
            if attempt.error is None:
                return
            accused = [key for key in self.pending() if key[0] == attempt.begun]
            if not accused:
                raise attempt.error
            alone = self.attempt({**options, "only": [attempt.begun]})
            if alone.error is not None:
                culprits += 1
                self._accuse(accused, alone.error)

    def _accuse(self, accused: Iterable[_Key], error: CollectorError) -> None:
        """A package that ends its container does so for each of its modules."""
        name = next(iter(accused))[0]
        reason = f"importing {name} takes the collector down: {error.message}"
        self._settle(accused, "container", reason)
        below = [key for key in self.pending() if key[0].startswith(f"{name}.")]
        self._settle(below, "container", reason, inherited_from=name)

    def _settle(self, keys: Iterable[_Key], status: str, reason: str, **more: str) -> None:
        assert self.targets is not None
        for key in keys:
            self.verdicts[key] = {**self.targets[key], "status": status, "reason": reason, **more}

    def parts(self, broken: CollectorError | None) -> dict[str, Any]:
        """Sorted; what another container than the first told of others is left out."""
        summary = dict(self.summary)
        if broken:
            summary |= {"method": "exact", "fallback": f"the first container did not last ({broken.message})"}
        return {
            "modules": [self.verdicts[key] for key in sorted(self.targets or ())],
            "left_out": self.left_out,
            "cpu_seconds": round(self.cpu, 3),
            "wall_seconds": round(self.wall, 3),
            **summary,
        }


def _key(module: Mapping[str, Any]) -> _Key:
    return str(module.get("module")), str(module.get("path"))

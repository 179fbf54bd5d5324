"""Blame: each finding about what is installed gets the build step that did it, and where its requirement was asked for.

Times decide where they can; the layers are read once, and only where a finding needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from imgcheck.build.asking import asked_for
from imgcheck.build.dockerfile import Instruction
from imgcheck.build.history import command_of, instruction_text, instructions_of
from imgcheck.build.requirements import INSTALLS
from imgcheck.build.stages import Dockerfile, Stage
from imgcheck.diagnosis.requirements import Need, label, needs_of
from imgcheck.diagnosis.steps import Traced, by_layers, by_time, removal_by_layers
from imgcheck.errors import CollectorError, EngineOutOfReachError, EngineRefusedError
from imgcheck.facts.layers import LayerFacts
from imgcheck.facts.model import Distribution, Facts
from imgcheck.outcome import Cause, CheckResult, Fault, Finding, FindingState, Location

ReadLayers = Callable[[], LayerFacts]

_BLAMED: Final = (FindingState.BROKEN, FindingState.WARNED)
_UNTOLD: Final = "the step cannot be told: "


@dataclass(frozen=True, kw_only=True)
class BuildSource:
    """What the image was built from, where this run built it."""

    dockerfile: Dockerfile
    target: Stage
    context: Path


def blame(
    results: Sequence[CheckResult],
    facts: Facts,
    baseline: Facts | None,
    source: BuildSource | None,
    read_layers: ReadLayers,
) -> tuple[CheckResult, ...]:
    """The same results, their findings with causes.

    Args:
        results: as judged.
        facts: of the image, its history among them.
        baseline: the base's, for what was removed since.
        source: the Dockerfile, where it is known; without it steps are told by their number.
        read_layers: called at most once, where times leave a step open.
    """
    blamer = _Blamer(facts=facts, baseline=baseline, source=source, read_layers=read_layers)
    return tuple(
        replace(result, findings=tuple(blamer.with_cause(one) for one in result.findings)) for result in results
    )


@dataclass
class _Blamer:
    facts: Facts
    baseline: Facts | None
    source: BuildSource | None
    read_layers: ReadLayers
    _layers: LayerFacts | str | None = None
    _traced: dict[str, Traced | None] = field(default_factory=dict)

    def with_cause(self, finding: Finding) -> Finding:
        fault = finding.fault
        if not fault.blame or finding.state not in _BLAMED:
            return finding
        traced = [found for name in fault.blame if (found := self._trace(name))]
        cause = self._asked(fault)
        if traced:
            cause = self._placed(cause, _latest(traced))
        return replace(finding, fault=replace(fault, cause=cause))

    # --- the step

    def _trace(self, name: str) -> Traced | None:
        """None for what is not there and was not in the base: nothing happened to it."""
        if name not in self._traced:
            installed = self.facts.inventory.find(name)
            self._traced[name] = self._installation(installed) if installed else self._removal(name)
        return self._traced[name]

    def _installation(self, one: Distribution) -> Traced:
        by_its_time = by_time(self.facts.image, one)
        if by_its_time.step is not None:
            return by_its_time
        return self._by_layers(by_its_time.how, lambda layers: by_layers(layers, one))

    def _removal(self, name: str) -> Traced | None:
        before = self.baseline.inventory.find(name) if self.baseline else None
        if before is None:
            return None
        return self._by_layers("", lambda layers: removal_by_layers(layers, before.metadata_path))

    def _by_layers(self, why: str, trace: Callable[[LayerFacts], Traced]) -> Traced:
        layers = self._read()
        found = Traced(step=None, how=layers) if isinstance(layers, str) else trace(layers)
        return replace(found, how=f"{found.how} (by times it cannot: {why})" if why else found.how)

    def _read(self) -> LayerFacts | str:
        """The layers, or why they cannot be read: that hides no finding."""
        if self._layers is None:
            try:
                self._layers = self.read_layers()
            except (CollectorError, EngineOutOfReachError, EngineRefusedError) as error:
                self._layers = error.message
        return self._layers

    def _placed(self, cause: Cause, traced: Traced) -> Cause:
        if traced.step is None:
            return replace(cause, how=f"{_UNTOLD}{traced.how}")
        history = self.facts.image.history
        instruction = self._instructions().get(traced.step)
        if instruction is None or self.source is None:
            told = command_of(history[traced.step], history) or "a layer without a command"
            origin = f"step {traced.step + 1} of {len(history)}{self._of_base(traced.step)}"
            return replace(cause, step=f"{told} ({origin})", how=traced.how)
        place = self.source.dockerfile.place(instruction.start_line)
        return replace(cause, step=self._told(instruction, self.source), step_location=place, how=traced.how)

    def _instructions(self) -> dict[int, Instruction]:
        if self.source is None:
            return {}
        return dict(instructions_of(self.facts.image.history, self.source.dockerfile, self.source.target))

    def _of_base(self, step: int) -> str:
        base = self.baseline.image.history if self.baseline else ()
        return ", in the base" if step < len(base) and self.facts.image.history[: len(base)] == base else ""

    def _told(self, instruction: Instruction, source: BuildSource) -> str:
        text = instruction_text(instruction)
        names = [stage.name for stage in source.dockerfile.stages if stage.index == instruction.stage and stage.name]
        stage = f" (stage {names[0]})" if names else ""
        origin = "; ".join(_copied_from(instruction, source.dockerfile))
        return f"{text}{stage}, from {origin}" if origin else f"{text}{stage}"

    # --- the requirement

    def _asked(self, fault: Fault) -> Cause:
        """The cause with the place that asks for whoever forced it, through whom it was asked for."""
        needs = needs_of(self.facts.inventory)
        owner = next((need.owner for need in needs if need.sentence == fault.cause.requirement), None)
        name = owner.canonical_name if owner else fault.blame[0]
        way, place = self._way(name, needs)
        path = _path(place, way, owner, fault)
        if not place:
            return replace(fault.cause, path=path)
        asked = "".join(f", which {label(one)} requires" for one in way)
        requirement = f"{fault.cause.requirement}{asked}" if fault.cause.requirement else ""
        return replace(fault.cause, requirement=requirement, location=place, path=path)

    def _way(self, name: str, needs: Sequence[Need]) -> tuple[tuple[Distribution, ...], Location | None]:
        """From a distribution up to the nearest one that a requirements file, or the Dockerfile, names."""
        if self.source is None:
            return (), None
        waiting: list[tuple[str, tuple[Distribution, ...]]] = [(name, ())]
        seen = {name}
        while waiting:
            current, way = waiting.pop(0)
            place = asked_for(self.source.dockerfile, self.source.target, self.source.context, current)
            if place:
                return way, place
            for need in needs:
                above = need.owner.canonical_name
                if need.applies and need.name == current and above not in seen:
                    seen.add(above)
                    waiting.append((above, (*way, need.owner)))
        return (), None


def _path(
    place: Location | None, way: Sequence[Distribution], owner: Distribution | None, fault: Fault
) -> tuple[str, ...]:
    """From where it was asked for down to what is at fault; nothing where nobody forced it."""
    if owner is None:
        return ()
    above = [str(place)] if place else []
    return (*above, *(label(one) for one in reversed(way)), label(owner), f"{fault.subject} {fault.actual}".strip())


def _latest(traced: Sequence[Traced]) -> Traced:
    """Of several, the last step; what cannot be told leaves the whole open."""
    return next((one for one in traced if one.step is None), None) or max(traced, key=lambda one: one.step or 0)


def _copied_from(instruction: Instruction, dockerfile: Dockerfile) -> Iterator[str]:
    """Of COPY --from=STAGE, the steps of that stage that install; another image's cannot be seen."""
    for name in instruction.flags.get("from", ()) if instruction.keyword == "COPY" else ():
        stage = dockerfile.stage_named(name)
        if stage is None:
            yield f"the image {name}"
            continue
        for one in reversed(dockerfile.lineage(stage)):
            for run in dockerfile.of_stage(one):
                text = "\n".join((run.value, *(heredoc.content for heredoc in run.heredocs)))
                if run.keyword == "RUN" and INSTALLS.search(text):
                    yield f"{dockerfile.place(run.start_line)} {instruction_text(run)}"

"""The image at a glance, for reports that draw: its steps, what differs from the base, and the import sweep. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from imgcheck.build.history import command_of
from imgcheck.diagnosis.requirements import label, winners
from imgcheck.diagnosis.steps import by_time
from imgcheck.facts.model import Facts, ImageFacts, ImportFacts, Inventory, ModuleFacts
from imgcheck.inventory_diff import InventoryDiff, diff

_SLOWEST: Final = 8
"""Modules of a distribution that are told by name."""


@dataclass(frozen=True, kw_only=True)
class StepView:
    """A build step: its number from 1, its command, whether it is the base's, and what of it is still installed."""

    number: int
    command: str
    of_base: bool
    empty: bool
    installed: tuple[str, ...] = ()
    """As "protobuf 4.25.3 (was 6.33.6)", where the base has another version."""


@dataclass(frozen=True, kw_only=True)
class SweptModule:
    name: str
    seconds: float
    imported: bool


@dataclass(frozen=True, kw_only=True)
class Swept:
    """A distribution in the import sweep. `seconds` is the own time of all its modules."""

    name: str
    version: str
    seconds: float
    imported: int
    failed: int
    slowest: tuple[SweptModule, ...] = ()
    failing: tuple[str, ...] = ()
    """Modules that could not be imported, whatever that means for the contract."""


@dataclass(frozen=True, kw_only=True)
class Overview:
    """What can be drawn of an image; each part is empty where its facts were not collected."""

    steps: tuple[StepView, ...] = ()
    untraced: tuple[str, ...] = ()
    """Distributions of which times do not tell the step."""
    versions: InventoryDiff | None = None
    sweep: tuple[Swept, ...] = ()


def overview_of(facts: Facts, base: ImageFacts | None) -> Overview:
    steps, untraced = _steps(facts, base)
    return Overview(
        steps=steps,
        untraced=untraced,
        versions=diff(facts.base, facts.inventory) if facts.base else None,
        sweep=_sweep(facts.imports, facts.inventory),
    )


def _steps(facts: Facts, base: ImageFacts | None) -> tuple[tuple[StepView, ...], tuple[str, ...]]:
    history = facts.image.history
    below = len(base.history) if base and history[: len(base.history)] == base.history else 0
    installed: defaultdict[int, list[str]] = defaultdict(list)
    untraced: list[str] = []
    for one in winners(facts.inventory):
        step = by_time(facts.image, one).step
        before = facts.base.find(one.name) if facts.base else None
        moved = f" (was {before.version})" if before and before.version != one.version else ""
        if step is None:
            untraced.append(label(one) + moved)
        else:
            installed[step].append(label(one) + moved)
    views = tuple(
        StepView(
            number=index + 1,
            command=command_of(step, history),
            of_base=index < below,
            empty=step.empty,
            installed=tuple(sorted(installed[index], key=str.lower)),
        )
        for index, step in enumerate(history)
    )
    return views, tuple(sorted(untraced, key=str.lower))


def _sweep(imports: ImportFacts | None, inventory: Inventory) -> tuple[Swept, ...]:
    groups: defaultdict[str, dict[str, ModuleFacts]] = defaultdict(dict)
    for one in imports.modules if imports else ():
        groups[one.distribution].setdefault(one.module, one)
    versions = {one.name: one.version for one in inventory.distributions}
    found = (_swept(name, versions.get(name, ""), group.values()) for name, group in groups.items())
    return tuple(sorted(found, key=lambda one: (-one.seconds, one.name)))


def _swept(name: str, version: str, modules: Iterable[ModuleFacts]) -> Swept:
    found = sorted(modules, key=lambda one: (-_own(one), one.module))
    failing = sorted(one.module for one in found if one.status != "ok")
    return Swept(
        name=name,
        version=version,
        seconds=round(sum(map(_own, found)), 3),
        imported=len(found) - len(failing),
        failed=len(failing),
        slowest=tuple(_told(found)),
        failing=tuple(failing),
    )


def _told(modules: Sequence[ModuleFacts]) -> Iterator[SweptModule]:
    for one in modules[:_SLOWEST]:
        yield SweptModule(name=one.module, seconds=round(_own(one), 3), imported=one.status == "ok")


def _own(module: ModuleFacts) -> float:
    """What a module took itself; what fails because its package does took nothing."""
    return 0.0 if module.inherited_from else module.wall

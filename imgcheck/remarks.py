"""What is worth knowing of an image's imports, told from the facts of its sweep. Nothing is decided by it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from pydantic import JsonValue

from imgcheck.facts.model import ImportFacts, ModuleFacts
from imgcheck.outcome import Remark, RemarkKind

SLOWEST: Final = 10
_SLOW: Final = 0.2
"""Seconds; who takes less is no reason why a program starts slowly."""


def remarks_of(imports: ImportFacts | None) -> tuple[Remark, ...]:
    """By kind, in the order of `RemarkKind`; the slowest first, the others by module."""
    modules = imports.modules if imports else ()
    slow = [one for one in slowest(modules, SLOWEST) if one.wall >= _SLOW]
    told = (remark for kind, tell in _TOLD.items() for remark in _same_together(modules, kind, tell))
    return (*(Remark(kind=RemarkKind.SLOW, subject=one.module, detail=time_of(one)) for one in slow), *told)


def notices_of(imports: ImportFacts | None) -> tuple[str, ...]:
    """What must be known of the way that a sweep took: not the one asked for, or where it contradicted itself."""
    if imports is None:
        return ()
    told = [f"the import sweep went by {imports.method}: {imports.fallback}"] if imports.fallback else []
    if imports.disagreements:
        names = ", ".join(imports.disagreements[:SLOWEST]) + (", …" if len(imports.disagreements) > SLOWEST else "")
        told.append(
            f"{len(imports.disagreements)} of the modules tried twice passed beside others and fail alone, "
            f"which is what counts: {names}"
        )
    return tuple(told)


def slowest(modules: Iterable[ModuleFacts], count: int) -> Sequence[ModuleFacts]:
    """By own time: what its parents and, in a shared process, others had loaded before costs a module nothing."""
    own = {one.module: one for one in modules if one.inherited_from is None and one.wall > 0}
    return sorted(own.values(), key=lambda one: (-one.wall, one.module))[:count]


def time_of(module: ModuleFacts) -> str:
    return f"{module.wall:,.1f} s, {module.cpu:,.1f} s CPU"


def _same_together(
    modules: Iterable[ModuleFacts], kind: RemarkKind, tell: Callable[[Mapping[str, JsonValue]], str]
) -> Iterator[Remark]:
    """Whoever imports a module does what that one does: modules that do the very same are told of once."""
    groups: defaultdict[str, dict[str, ModuleFacts]] = defaultdict(dict)
    for one in modules:
        detail = tell(one.side_effects)
        if detail:
            groups[detail].setdefault(one.module, one)
    found = []
    for detail, group in groups.items():
        first = min(group.values(), key=lambda one: (one.cpu, one.module))
        found.append(Remark(kind=kind, subject=first.module, detail=detail, others=len(group) - 1))
    return iter(sorted(found, key=lambda one: (one.subject, one.detail)))


def texts(value: JsonValue) -> list[str]:
    """The texts of a list: it comes out of an image."""
    return [str(one) for one in value if isinstance(one, (str, int))] if isinstance(value, list) else []


def _joined(key: str) -> Callable[[Mapping[str, JsonValue]], str]:
    return lambda effects: ", ".join(texts(effects.get(key)))


def _threads(effects: Mapping[str, JsonValue]) -> str:
    number = effects.get("threads")
    return f"{number} {'thread' if number == 1 else 'threads'}" if isinstance(number, int) else ""


def _processes(effects: Mapping[str, JsonValue]) -> str:
    left = effects.get("processes")
    return ", ".join(texts(left)) or ("at least one" if left else "")


def _directory(effects: Mapping[str, JsonValue]) -> str:
    where = effects.get("directory")
    return f"to {where}" if isinstance(where, str) else "to none" if "directory" in effects else ""


_TOLD: Final[Mapping[RemarkKind, Callable[[Mapping[str, JsonValue]], str]]] = {
    RemarkKind.NETWORK: _joined("network"),
    RemarkKind.ENVIRONMENT: _joined("environment"),
    RemarkKind.PROCESSES: _processes,
    RemarkKind.THREADS: _threads,
    RemarkKind.DIRECTORY: _directory,
    RemarkKind.SIGNALS: _joined("signals"),
    RemarkKind.PATH: _joined("path"),
}

"""The import sweep as rectangles: as large as a distribution's import time, as its modules fared."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import squarify

from imgcheck.report.wording import counted, duration

if TYPE_CHECKING:
    from imgcheck.overview import Swept

WIDTH: Final = 1200
HEIGHT: Final = 560
_SMALLEST: Final = 0.0008
"""Of the whole area; what takes less is drawn together."""
_LEGIBLE: Final = 5
_CHARACTER: Final = 8.2
"""A character's width in the label's font."""


@dataclass(frozen=True, kw_only=True)
class Tile:
    """A rectangle with its words; `label` is empty where it does not fit."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    title: str
    label: str = ""
    below: str = ""


def treemap(sweep: Sequence[Swept], broken: Collection[str]) -> tuple[Tile, ...]:
    """One for each distribution; nothing where no time was taken. `broken` are modules that break the contract."""
    timed = [one for one in sweep if one.seconds > 0]
    total = sum(one.seconds for one in timed)
    large = [one for one in timed if one.seconds / total >= _SMALLEST]
    small = timed[len(large) :]
    sizes = [one.seconds for one in large] + ([sum(one.seconds for one in small)] if small else [])
    boxes = squarify.squarify(squarify.normalize_sizes(sizes, WIDTH, HEIGHT), 0, 0, WIDTH, HEIGHT) if sizes else []
    words = [(_kind(one, broken), _title(one), f"{one.name} {one.version}", one.seconds) for one in large]
    if small:
        words.append((_kinds(small, broken), _others(small), f"{len(small):,}\N{NO-BREAK SPACE}others", sizes[-1]))
    return tuple(_tile(box, *told) for box, told in zip(boxes, words, strict=True))


def _kind(one: Swept, broken: Collection[str]) -> str:
    if any(name in broken for name in one.failing):
        return "bad"
    return "part" if one.failed else "good"


def _kinds(many: Sequence[Swept], broken: Collection[str]) -> str:
    kinds = {_kind(one, broken) for one in many}
    return next(one for one in ("bad", "part", "good") if one in kinds)


def _title(one: Swept) -> str:
    failed = f", {one.failed:,} of {one.failed + one.imported:,} fail" if one.failed else ""
    slowest = "; ".join(f"{module.name} {module.seconds:.2f} s" for module in one.slowest[:3])
    modules = counted(one.imported + one.failed, "modules")
    return f"{one.name} {one.version}: {duration(one.seconds)} for {modules}{failed}. Slowest: {slowest}"


def _others(many: Sequence[Swept]) -> str:
    return f"{counted(len(many), 'distributions')} that take next to nothing"


def _shortened(name: str, room: int) -> str:
    return name if len(name) <= room else f"{name[: room - 1]}…" if room >= _LEGIBLE else ""


def _tile(box: dict[str, float], kind: str, title: str, label: str, seconds: float) -> Tile:
    width, height = box["dx"], box["dy"]
    room = int((width - 14) / _CHARACTER)
    name = label if len(label) <= room else _shortened(label.split(" ", maxsplit=1)[0], room)
    fits = height >= 26 and bool(name)
    below = duration(seconds) if fits and height >= 42 else ""
    return Tile(
        x=round(box["x"], 1),
        y=round(box["y"], 1),
        width=round(width, 1),
        height=round(height, 1),
        kind=kind,
        title=title,
        label=name if fits else "",
        below=below if len(below) <= room else "",
    )

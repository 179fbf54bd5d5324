"""Two inventories' differences, as a table for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from imgcheck.inventory_diff import Direction, InventoryDiff
from imgcheck.report.json import dump
from imgcheck.report.untrusted import neutral
from imgcheck.report.wording import counted

FORMAT: Final = 1
_NONE: Final = "-"
_ARROWS: Final[Mapping[Direction, str]] = {Direction.UP: "↑ up", Direction.DOWN: "↓ down", Direction.ASIDE: "↔ aside"}

Row = tuple[str, str, str, str]
"""What happened, the distribution, before, after."""


def render_diff(diff: InventoryDiff, before: str, after: str) -> str:
    """Aligned columns, what can break first: moved, rebuilt, removed, added; and what did not change, counted."""
    rows = [_safe(row) for row in _rows(diff)]
    heading: Row = ("", "distribution", "before", "after")
    title = f"{neutral(before)} → {neutral(after)}"
    body = ["", *_aligned([heading, *rows])] if rows else []
    return "\n".join((title, *body, "", _summary(diff))) + "\n"


def render_diff_json(diff: InventoryDiff, before: str, after: str) -> str:
    """The same as an object: `before`, `after`, and a list for each kind of difference."""
    return dump({"format": FORMAT, "before": before, "after": after, **_plain(diff)})


def _plain(diff: InventoryDiff) -> dict[str, Any]:
    return {**asdict(diff), "moved": [{**asdict(one), "direction": one.direction.value} for one in diff.moved]}


def _rows(diff: InventoryDiff) -> Iterator[Row]:
    if diff.python:
        yield ("* changed", "Python itself", diff.python.before, diff.python.after)
    for moved in diff.moved:
        yield (_ARROWS[moved.direction], moved.name, moved.before, moved.after)
    for rebuilt in diff.rebuilt:
        for index, change in enumerate(rebuilt.changes):
            kind, name = ("", "") if index else ("~ rebuilt", rebuilt.name)
            yield (kind, name, f"{change.what} {change.before or _NONE}", change.after or _NONE)
    for removed in diff.removed:
        yield ("- removed", removed.name, removed.version, "")
    for added in diff.added:
        yield ("+ added", added.name, "", added.version)


def _safe(row: Row) -> Row:
    what, name, before, after = (neutral(cell) for cell in row)
    return (what, name, before, after)


def _aligned(rows: Sequence[Row]) -> Iterator[str]:
    """Columns as wide as their widest cell, save that a URL does not push the next column out of sight."""
    widths = [max(len(row[column]) for row in rows if len(row[column]) <= 60) for column in range(4)]
    for row in rows:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _summary(diff: InventoryDiff) -> str:
    kinds: Mapping[str, Sequence[object]] = {
        "moved": diff.moved,
        "rebuilt": diff.rebuilt,
        "removed": diff.removed,
        "added": diff.added,
    }
    told = [f"{len(found):,} {kind}" for kind, found in kinds.items() if found]
    changed = ["Python changed", *told] if diff.python else told
    return f"{', '.join(changed) or 'no difference'}; {counted(diff.same, 'distributions')} the same"

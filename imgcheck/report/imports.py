"""What `imgcheck imports` found: one module's whole story, or counts, the failing ones and the slowest; or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from imgcheck.facts.model import ModuleFacts
from imgcheck.import_summary import Failures, ImportSummary
from imgcheck.outcome import RemarkKind
from imgcheck.remarks import time_of
from imgcheck.report.import_story import story
from imgcheck.report.json import dump
from imgcheck.report.layout import sources_and_notices, spaced
from imgcheck.report.line import EMPTY, INDENT, Line, Role, Span, line, row, span
from imgcheck.report.remarks import remarks
from imgcheck.report.wording import counted, duration, short_digest

FORMAT: Final = 1
_A_GROUP: Final = 5
_GROUPS: Final = 20
_DISTRIBUTIONS: Final = 15


def layout_imports(summary: ImportSummary, *, full: bool) -> Iterator[Line]:
    """All lines; bounded unless `full`."""
    yield row("image", span(summary.image, "strong"), span(f"  {short_digest(summary.digest)}", "dim"), indent="")
    yield EMPTY
    if len(summary.modules) == 1:
        yield from spaced([*story(summary, summary.modules[0], full=full)])
    else:
        yield from _many(summary, full=full)
    yield from spaced([*sources_and_notices(summary.sources, summary.notices, full=full)])
    yield _sentence(summary)


def _many(summary: ImportSummary, *, full: bool) -> Iterator[Line]:
    yield from spaced([*_counts(summary)])
    yield from spaced([*_distributions(summary, full=full)])
    limit = len(summary.failures) if full else _GROUPS
    for failures in summary.failures[:limit]:
        yield from _failures(failures, full=full)
    if summary.failures[limit:]:
        yield _more(sum(len(one.modules) + one.below for one in summary.failures[limit:]), "modules that fail", "")
    yield from [EMPTY] if summary.failures else []
    yield from spaced([*_slowest(summary.slowest, "all they load included" if summary.loads else "own time")])
    if full:
        yield from spaced([*remarks([one for one in summary.remarks if one.kind is not RemarkKind.SLOW])])
        for module in summary.modules:
            if module.loaded is not None:
                yield from spaced([*story(summary, module, full=full)])


def _counts(summary: ImportSummary) -> Iterator[Line]:
    for status, count in sorted(summary.statuses.items(), key=lambda one: (one[0] != "ok", -one[1], one[0])):
        good = status == "ok"
        mark = span("✓ " if good else "✗ ", "kept" if good else "broken")
        yield line(span(f"{count:,} {_ENDED[status]}"), head=[mark])
    if summary.left_out:
        told = ", ".join(f"{group} {count:,}" for group, count in sorted(summary.left_out.items()))
        yield line(span(f"{sum(summary.left_out.values()):,} left out: {told}", "dim"), head=[span("- ", "dim")])


_ENDED: Final = {
    "ok": "imported",
    "exception": "raised an exception",
    "exit": "ended the process",
    "signal": "crashed",
    "timeout": "over the time limit",
    "memory": "over the memory limit",
    "lost": "of unknown fate",
    "container": "took its container down",
}


def _distributions(summary: ImportSummary, *, full: bool) -> Iterator[Line]:
    failing = [one for one in summary.distributions if one.failed]
    shown = summary.distributions if full else failing[:_DISTRIBUTIONS]
    width = max((len(f"{one.name} {one.version}") for one in shown), default=0)
    for one in shown:
        role: Role = "broken" if one.failed else "dim"
        told = (
            f"{one.failed:,} of {counted(one.failed + one.imported, 'modules')} fail" if one.failed else "all imported"
        )
        label = f"{one.name} {one.version}".rstrip()
        yield line(span(told, role), head=[span(f"{label:<{width}}{INDENT}", role)])
    rest = len(summary.distributions) - len(shown)
    if rest:
        words = "all their modules imported" if len(shown) == len(failing) else "some of which fail"
        yield line(span(f"{counted(rest, 'distributions')} more, {words} (-v lists them)", "dim"))


def _failures(failures: Failures, *, full: bool) -> Iterator[Line]:
    count = counted(len(failures.modules) + failures.below, "modules")
    yield line(span(failures.error, "strong"), head=[span("✗ ", "broken"), span(f"{count}{INDENT}", "broken")])
    shown = failures.modules if full else failures.modules[:_A_GROUP]
    for one in shown:
        yield line(span(one.module), span(f"{INDENT}{_place(one)}", "dim"), head=[Span(INDENT * 2)])
    if len(shown) < len(failures.modules):
        yield _more(len(failures.modules) - len(shown), "modules", INDENT * 2)
    if failures.below:
        yield line(span(f"and {counted(failures.below, 'modules')} below", "dim"), head=[Span(INDENT * 2)])


def _more(count: int, words: str, indent: str) -> Line:
    return line(span(f"and {counted(count, words)} more (-v lists them)", "dim"), head=[Span(indent)])


def _place(module: ModuleFacts) -> str:
    frame = module.error.frames[-1] if module.error and module.error.frames else None
    return f"{frame.file}:{frame.line}" if frame and frame.file else module.path


def _slowest(modules: Sequence[ModuleFacts], words: str) -> Iterator[Line]:
    if not modules:
        return
    width = max(len(one.module) for one in modules)
    yield line(span("slowest imports", "strong"), span(f", {words}", "dim"))
    for one in modules:
        yield line(span(time_of(one), "dim"), head=[span(f"{INDENT}{one.module:<{width}}{INDENT}")])


def _sentence(summary: ImportSummary) -> Line:
    total, failed = len(summary.modules), len(summary.modules) - summary.statuses["ok"]
    what = summary.modules[0].module if total == 1 else counted(total, "modules")
    spent = f" ({duration(summary.cpu_seconds)} of processor time)" if summary.cpu_seconds else ""
    if not failed:
        return line(span("IMPORTED: ", "kept"), span(what, "strong"), span(spent, "dim"))
    words = what if total == 1 else f"{failed:,} of {what}"
    return line(span("NOT IMPORTED: ", "broken"), span(words, "strong"), span(spent, "dim"))


def render_imports_json(summary: ImportSummary) -> str:
    """Every fact; docs/imports.md tells the keys."""
    return dump(
        {
            "format": FORMAT,
            "exit_code": int(summary.exit_code),
            "image": {"reference": summary.image, "digest": summary.digest},
            "asked": list(summary.asked),
            "counts": dict(sorted(summary.statuses.items())),
            "left_out": dict(summary.left_out),
            "distributions": [vars(one) for one in summary.distributions],
            "failures": [_group(one) for one in summary.failures],
            "slowest": [one.module for one in summary.slowest],
            "loads": {name: dict(found) for name, found in summary.loads.items()},
            "modules": [one.model_dump(mode="json") for one in summary.modules],
            "cpu_seconds": summary.cpu_seconds,
            "wall_seconds": summary.wall_seconds,
            "notices": list(summary.notices),
        }
    )


def _group(failures: Failures) -> dict[str, Any]:
    return {
        "status": failures.status,
        "error": failures.error,
        "modules": [one.module for one in failures.modules],
        "below": failures.below,
    }

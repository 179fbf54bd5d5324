"""One module's whole story as lines: the verdict and its proof, what it costs, what it loads, does and says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pydantic import JsonValue

from imgcheck.facts.model import Frame, ImportFailure, ModuleFacts, Raised
from imgcheck.import_summary import ImportSummary, ending
from imgcheck.remarks import texts, time_of
from imgcheck.report.block import quoted
from imgcheck.report.line import INDENT, Line, Span, line, row, span
from imgcheck.report.wording import counted

_TOP: Final = 10
_LINES: Final = 20
_LISTED: Final = 5
_MEGABYTE: Final = 1 << 20
_PROOF: Final = {
    "alone": "imported in a process of its own",
    "parents": "its own parent packages load it",
    "siblings": "imported in one process with others of its package, undisturbed",
    "walk": "imported in one process with others, undisturbed",
}
_BARE: Final = "imported in a bare interpreter of its own"
_EFFECTS: Final[Mapping[str, tuple[str, str]]] = {
    "network": ("network", "{}"),
    "bound": ("listens", "{}"),
    "environment": ("sets", "{}"),
    "files": ("writes", "{}"),
    "removed": ("removes", "{}"),
    "commands": ("runs", "{}"),
    "processes": ("leaves", "processes running: {}"),
    "threads": ("leaves", "threads running: {}"),
    "directory": ("goes to", "{}"),
    "path": ("sys.path", "{}"),
    "signals": ("handles", "signal {}"),
    "libraries": ("dlopens", "{}"),
    "builtins": ("changes", "builtins"),
    "finders": ("changes", "sys.meta_path"),
    "unreadable": ("breaks", "so much that nothing more can be told"),
}
"""A side effect's key, and how it is told."""


def story(summary: ImportSummary, module: ModuleFacts, *, full: bool) -> Iterator[Line]:
    yield line(span(module.module, "strong"), span(f"{INDENT}{_owner(summary, module)}", "dim"), head=[_mark(module)])
    yield from _verdict(module)
    yield row("proof", span(_BARE if module.loaded is not None else _PROOF[module.proof]))
    yield row("file", span(module.file or module.path or "none"))
    yield row("time", span(time_of(module)))
    if module.peak_memory:
        yield row("memory", span(f"{module.peak_memory / _MEGABYTE:,.0f} MiB at most"))
    yield from _loaded(summary, module, full=full)
    yield from _effects(module.side_effects, full=full)
    yield from _listed("unloaded", module.unloaded, full=full)
    if module.error is not None and module.error.type:
        yield from quoted("traceback", "\n".join(_traceback(module.error)), limit=None)
        for cause in module.error.chain[1:]:
            yield from quoted("caused by", "\n".join(_cause(cause)), limit=None)
    yield from quoted("stderr", module.stderr, limit=None if full else _LINES)


def _mark(module: ModuleFacts) -> Span:
    return span("✓ ", "kept") if module.status == "ok" else span("✗ ", "broken")


def _owner(summary: ImportSummary, module: ModuleFacts) -> str:
    versions = {one.name: one.version for one in summary.distributions}
    others = f", also of {', '.join(module.also)}" if module.also else ""
    return f"of {module.distribution} {versions.get(module.distribution, '')}".rstrip() + others


def _verdict(module: ModuleFacts) -> Iterator[Line]:
    if module.status == "ok":
        yield row("verdict", span("imported", "kept"))
        return
    yield row("verdict", span(ending(module), "broken"))
    if module.inherited_from:
        yield row("", span(f"because its package {module.inherited_from} does"))


def _loaded(summary: ImportSummary, module: ModuleFacts, *, full: bool) -> Iterator[Line]:
    if module.loaded is None:
        return
    found = summary.loads.get(module.module, ())
    yield row("loads", span(counted(len(module.loaded), "modules")))
    shown = found if full else found[:_TOP]
    width = max((len(f"{count:,}") for _, count in shown), default=0)
    for name, count in shown:
        yield row("", span(f"{count:>{width},}  {name}", "dim"))
    if len(shown) < len(found):
        yield row("", span(f"and of {counted(len(found) - len(shown), 'distributions')} more (-v lists them)", "dim"))


def _effects(effects: Mapping[str, JsonValue], *, full: bool) -> Iterator[Line]:
    for key, (label, words) in _EFFECTS.items():
        if key in effects:
            told = texts(effects[key]) or [_plain(effects[key])]
            yield from _listed(label, [words.format(one) for one in told], full=full)
    others = [f"{key}: {value}" for key, value in sorted(effects.items()) if key not in _EFFECTS]
    yield from _listed("other", others, full=full)


def _listed(label: str, told: Sequence[str], *, full: bool) -> Iterator[Line]:
    shown = told if full else told[:_LISTED]
    for index, one in enumerate(shown):
        yield row("" if index else label, span(one, "warned"))
    if len(shown) < len(told):
        yield row("", span(f"and {len(told) - len(shown):,} more (-v lists them)", "dim"))


def _plain(value: JsonValue) -> str:
    return "at least one" if value is True else str(value)


def _traceback(failure: ImportFailure) -> Iterator[str]:
    if failure.frames:
        yield "Traceback (most recent call last):"
    for frame in failure.frames:
        yield from _frame(frame)
    yield _words(failure)


def _cause(error: Raised) -> Iterator[str]:
    if error.frame:
        yield from _frame(error.frame)
    yield _words(error)


def _frame(frame: Frame) -> Iterator[str]:
    yield f'  File "{frame.file}", line {frame.line}' + (f", in {frame.function}" if frame.function else "")
    if frame.text:
        yield f"    {frame.text}"


def _words(error: Raised) -> str:
    return f"{error.type}: {error.message}" if error.message else error.type

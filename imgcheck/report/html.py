"""One HTML file that needs nothing else: opened from disk, from a CI artifact, without a network, without JavaScript.

Jinja2 escapes every text, each is neutralised before, and the page's own policy lets nothing run or load but its own
style and script.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from imgcheck import __version__
from imgcheck.outcome import CheckResult, CheckState, Finding, FindingState, Report, Source
from imgcheck.report.line import symbol
from imgcheck.report.treemap import HEIGHT, WIDTH, treemap
from imgcheck.report.untrusted import neutral, neutral_lines
from imgcheck.report.verdict import sentence, verdict
from imgcheck.report.wording import counted, duration, moment, short_digest

if TYPE_CHECKING:
    from jinja2 import Template

    from imgcheck.inventory_diff import InventoryDiff
    from imgcheck.overview import Overview, StepView

_OPEN = 5
"""Broken findings that are unfolded at first."""
_ORDER = tuple(FindingState)


def render_html(report: Report) -> str:
    word, _, rest = sentence(report).partition(":")
    findings = [*_findings(report)]
    return _template().render(
        report=report,
        verdict=verdict(report).value.replace(" ", "-"),
        word=word,
        rest=rest.strip(),
        named=_named(report),
        findings=findings,
        choices=_choices(findings),
        made=[_check(one) for one in report.results if one.state is not CheckState.SKIPPED],
        skipped=[one for one in report.results if one.state is CheckState.SKIPPED],
        sources=[_source(one) for one in report.sources],
        remarks=[f"{one.subject}: {one.kind.value}, {one.detail}" for one in report.remarks],
        exit=int(report.exit_code),
        version=__version__,
        **_overview(report.overview, _broken_subjects(report)),
    )


@cache
def _template() -> Template:
    """Loaded where a page is asked for: the other formats need no Jinja2."""
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415
    from markupsafe import Markup  # noqa: PLC0415

    folder = files("imgcheck.report").joinpath("page")
    text, style, script = (
        folder.joinpath(name).read_text("utf-8") for name in ("report.html", "report.css", "report.js")
    )
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"plain": _plain, "short": lambda text: _plain(short_digest(text)), "shortened": _shortened}
    environment.globals |= {
        "style": Markup(style),  # noqa: S704 - our own file
        "script": Markup(script),  # noqa: S704 - our own file
        "policy": f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'",
    }
    return environment.from_string(text)


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _plain(text: object) -> str:
    return neutral(str(text))


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"


def _named(report: Report) -> list[tuple[str, str, str]]:
    named = (
        ("image", report.image, report.digest),
        ("contract", report.contract, ""),
        ("base", report.base, report.base_digest),
    )
    return [one for one in named if one[1]]


def _findings(report: Report) -> Iterator[dict[str, Any]]:
    ordered = sorted(report.findings, key=lambda one: _ORDER.index(one.state))
    places = [f"{one.id}-{index}" for index, one in enumerate(ordered)]
    for index, (finding, anchor) in enumerate(zip(ordered, places, strict=True)):
        fault = finding.fault
        yield {
            "id": finding.id,
            "anchor": finding.id if places.index(anchor) == index else anchor,
            "check": f"{finding.code} {finding.name}",
            "state": finding.state.value,
            "symbol": symbol(finding.state),
            "subject": fault.subject,
            "summary": fault.summary,
            "distribution": fault.blame[0] if fault.blame else fault.subject.split(" ")[0].split(".")[0],
            "step": fault.cause.step,
            "open": finding.state is FindingState.BROKEN and index < _OPEN,
            "fields": [*_fields(finding)],
            "path": fault.cause.path if len(fault.cause.path) > 1 else (),
            "details": fault.details,
            "evidence": neutral_lines(fault.evidence) if fault.evidence.strip() else (),
        }


def _fields(finding: Finding) -> Iterator[tuple[str, str, str]]:
    fault, cause = finding.fault, finding.fault.cause
    told = (
        ("expected", fault.expected, fault.location),
        ("found", fault.actual, None),
        ("base", fault.baseline, None),
        ("cause", cause.step, cause.step_location),
        ("forced by", cause.requirement, cause.location),
        ("known by" if cause.step else "cause", cause.how, None),
        ("fix", fault.remedy, None),
        ("waived", finding.excuse, None),
    )
    yield from ((label, text, str(place or "")) for label, text, place in told if text)
    if fault.location and not fault.expected:
        yield ("promised", "", str(fault.location))
    if cause.location and not cause.requirement:
        yield ("asked for", "", str(cause.location))


def _choices(findings: list[dict[str, Any]]) -> list[tuple[str, str, list[str]]]:
    """A filter with its values, in the order in which they come."""
    found = []
    for name in ("check", "state", "distribution", "step"):
        values = [*dict.fromkeys(one[name] for one in findings if one[name])]
        found.append((name, name.capitalize(), sorted(values) if name in {"check", "distribution"} else values))
    return found


def _check(result: CheckResult) -> dict[str, Any]:
    told = [f"{result.count(state):,} {state.value}" for state in FindingState if result.count(state)]
    return {
        "code": result.code,
        "name": result.name,
        "summary": result.summary,
        "state": result.state.value,
        "symbol": symbol(result.state),
        "examined": counted(result.examined, result.unit) if result.unit else "",
        "told": ", ".join(told) or result.reason,
        "passed_over": ", ".join(f"{reason} {number:,}" for reason, number in result.passed_over),
    }


def _source(source: Source) -> dict[str, str]:
    origin = f"collected in {duration(source.seconds)}"
    if source.reused:
        origin = f"reused, collected {moment(source.collected_at)}"
    return {"what": source.what, "image": source.image, "origin": origin}


def _broken_subjects(report: Report) -> frozenset[str]:
    """What breaks the contract, by name; details that are excused say so and are no names."""
    broken = (one.fault for one in report.findings if one.state is FindingState.BROKEN)
    return frozenset(name for fault in broken for name in (fault.subject, *fault.details))


def _overview(overview: Overview | None, broken: frozenset[str]) -> dict[str, Any]:
    versions = overview.versions if overview else None
    changes = [*_changes(versions)] if versions else []
    sweep = overview.sweep if overview else ()
    return {
        "steps": [_step(one) for one in overview.steps] if overview else [],
        "untraced": overview.untraced if overview else (),
        "versions": versions,
        "changes": changes,
        "changed": len({name for _, _, name, _, _ in changes}),
        "treemap": treemap(sweep, broken),
        "width": WIDTH,
        "height": HEIGHT,
        "total": duration(sum(one.seconds for one in sweep)),
        "sweep": [
            {
                "name": one.name,
                "version": one.version,
                "time": duration(one.seconds),
                "imported": one.imported,
                "failed": one.failed,
                "slowest": ", ".join(f"{module.name} {module.seconds:.2f} s" for module in one.slowest[:3]),
            }
            for one in sweep
        ],
    }


def _step(step: StepView) -> dict[str, Any]:
    moved = [one for one in step.installed if one.endswith(")")]
    return {
        "number": step.number,
        "command": step.command,
        "of_base": step.of_base,
        "moved": moved,
        "installed": [one for one in step.installed if one not in moved],
    }


def _changes(versions: InventoryDiff) -> Iterator[tuple[str, str, str, str, str]]:
    """Kind, its words, the distribution, before, after; what can break first."""
    if versions.python:
        yield ("up", "changed", "Python itself", versions.python.before, versions.python.after)
    for moved in sorted(versions.moved, key=lambda one: (one.direction.value != "down", one.name)):
        yield (moved.direction.value, f"moved {moved.direction.value}", moved.name, moved.before, moved.after)
    for gone in versions.removed:
        yield ("removed", "removed", gone.name, gone.version, "")
    for rebuilt in versions.rebuilt:
        for change in rebuilt.changes:
            yield ("rebuilt", f"rebuilt: {change.what}", rebuilt.name, change.before, change.after)
    for added in versions.added:
        yield ("added", "added", added.name, "", added.version)

"""One probe as people read it: how it ended, what was wanted, what it said, the way out; and the list of probes."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Final

from imgcheck.errors import ExitCode
from imgcheck.outcome import CheckState, Fault
from imgcheck.report.block import quoted
from imgcheck.report.line import INDENT, Line, Span, line, row, span, symbol
from imgcheck.report.untrusted import neutral
from imgcheck.report.wording import short_digest
from imgcheck.trying import Offered, Trial

_COMMAND: Final = 200
_LINE: Final = 400
_TOLD: Final = ("subject", "summary", "expected", "remedy", "note")


def layout_trial(trial: Trial) -> Iterator[Line]:
    kept = trial.exit_code is ExitCode.KEPT
    state = CheckState.KEPT if kept else CheckState.BROKEN
    yield line(
        span(trial.name, "strong"),
        span(f"{INDENT}{trial.image} {short_digest(trial.digest)}{INDENT}{trial.told.wall_seconds:.1f} s", "dim"),
        head=[Span(f"{symbol(state)} {state.value:<7}{INDENT}", "kept" if kept else "broken")],
    )
    if trial.about:
        yield row("proves", span(trial.about))
    yield row("runs", span(_shortened(trial.command)))
    if trial.told.answer:
        yield row("answer", span(_bounded(trial.told.answer.splitlines()[0], _COMMAND)))
    for fault in trial.faults:
        yield from _fault(fault)
    if kept and trial.told.output.strip():
        yield from quoted("output", _short_lines(trial.told.output), limit=20)
    for notice in trial.notices:
        yield row("notice", span(notice))


def _fault(fault: Fault) -> Iterator[Line]:
    yield row("note" if fault.note else "broken", span(fault.summary, "strong"))
    if fault.expected:
        yield row("expected", span(fault.expected))
    if fault.evidence:
        yield from quoted("evidence", _short_lines(fault.evidence), limit=None)
    if fault.remedy:
        yield row("fix", span(fault.remedy, "fix"))


def _shortened(words: Sequence[str]) -> str:
    text = " ".join(shlex.quote(word) if "\n" not in word else "'…'" for word in words)
    return _bounded(text, _COMMAND)


def _short_lines(text: str) -> str:
    return "\n".join(_bounded(one, _LINE) for one in text.splitlines())


def _bounded(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def render_trial_json(trial: Trial) -> str:
    answer = {
        "image": trial.image,
        "digest": trial.digest,
        "probe": trial.name,
        "kept": trial.exit_code is ExitCode.KEPT,
        "facts": trial.told.model_dump(mode="json"),
        "findings": [{key: getattr(one, key) for key in _TOLD} for one in trial.faults],
        "notices": list(trial.notices),
    }
    return json.dumps(answer, indent=2).replace("##", "#\\u0023") + "\n"


def render_offered(probes: Sequence[Offered]) -> str:
    width = max(len(one.name) for one in probes)
    return "".join(f"{text}\n" for one in probes for text in _offer(one, width))


def _offer(one: Offered, width: int) -> Iterator[str]:
    yield neutral(f"{one.name:<{width}}  {one.about or 'a probe of the contract'}")
    about = [f"needs {', '.join(one.requires)}"] if one.requires else []
    about += [f"option {name}: {value or '(empty)'}" for name, value in one.options]
    about += [one.where] if one.where != "built in" else []
    if about:
        yield neutral(f"{'':<{width}}  {'; '.join(about)}")


def render_offered_json(probes: Sequence[Offered]) -> str:
    return json.dumps([{**asdict(one), "options": dict(one.options)} for one in probes], indent=2) + "\n"

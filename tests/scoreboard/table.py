"""The table on the terminal, and the totals that README shows."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Final

from pydantic import Field

from tests.scoreboard.case import Case, Healthy
from tests.scoreboard.verdict import CaseOutcome, HealthyOutcome, Kept, Verdict, not_run

KINDS: Final = {
    "A": "a version moved",
    "B": "empty or half there",
    "C": "an import fails",
    "D": "a server does not start",
    "E": "fails only when called",
    "F": "GPU facts",
    "G": "not reproducible, mixed",
    "H": "silent, misowned",
    "I": "environment variables",
    "J": "files, stages, users",
}
BEGIN: Final = "<!-- scoreboard: written by scripts/cases --update -->"
END: Final = "<!-- end of scoreboard -->"


class Scoreboard(Kept):
    """All outcomes, by id."""

    cases: dict[str, CaseOutcome] = Field(default_factory=dict)
    healthy: dict[str, HealthyOutcome] = Field(default_factory=dict)

    def joined(self, later: Scoreboard) -> Scoreboard:
        """This one, where what was run later replaces what was run before."""
        cases, healthy = self.cases | later.cases, self.healthy | later.healthy
        return Scoreboard(cases=dict(sorted(cases.items())), healthy=dict(sorted(healthy.items())))

    def with_outcome(self, outcome: CaseOutcome | HealthyOutcome) -> Scoreboard:
        """This one with an outcome more."""
        if isinstance(outcome, CaseOutcome):
            return self.joined(Scoreboard(cases={outcome.id: outcome}))
        return self.joined(Scoreboard(healthy={outcome.id: outcome}))

    def covering(self, failures: Iterable[Case], images: Iterable[Healthy]) -> Scoreboard:
        """This one with a place for everything there is, and for nothing else."""
        cases = {one.id: self.cases.get(one.id, not_run(one)) for one in failures}
        blank = {one.id: HealthyOutcome(id=one.id, title=one.title, small=one.small, state="not run") for one in images}
        return Scoreboard(cases=cases, healthy={name: self.healthy.get(name, one) for name, one in blank.items()})

    def as_json(self) -> str:
        return json.dumps(self.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"


def read(path: Path) -> Scoreboard:
    """A kept scoreboard; an empty one where there is none."""
    return Scoreboard.model_validate_json(path.read_text("utf-8")) if path.exists() else Scoreboard()


def told_at_once(one: CaseOutcome | HealthyOutcome) -> str:
    """An outcome in a line, while others still run."""
    verdict = one.verdict.value if isinstance(one, CaseOutcome) else one.state
    return f"{one.id} {verdict}" + (f": {one.reason.splitlines()[-1]}" if one.reason else "")


def line_of(one: CaseOutcome) -> str:
    """A case in a line, and what is to be known of it in further ones."""
    verdict = f"{one.verdict.value} ({', '.join(one.asked)})" if one.verdict is Verdict.ASKED else one.verdict.value
    culprit = "right" if one.culprit else "-"
    checks, seconds = ", ".join(one.checks[:2]), f"{one.seconds:.1f}"
    cells = (one.id, one.kind, one.title, verdict, checks, culprit, seconds, one.twin, *_peers(one))
    lines = ["  ".join(cell[:width].ljust(width) for cell, width in zip(cells, _WIDTHS, strict=True)).rstrip()]
    lines += [f"      {one.reason}"] if one.reason else []
    lines += [f"      false alarm: {alarm}" for alarm in one.false_alarms]
    return "\n".join(lines)


def _peers(one: CaseOutcome) -> tuple[str, str]:
    if one.peers is None:
        return "", ""
    return "says it" if one.peers.pip_check else "silent", "fails" if one.peers.plain_import else "passes"


_HEADINGS: Final = ("case", "kind", "what", "verdict", "checks", "culprit", "s", "twin", "pip check", "import")
_WIDTHS: Final = (4, 4, 46, 26, 42, 7, 6, 6, 9, 6)


def table(outcomes: Collection[CaseOutcome], calm: Collection[HealthyOutcome]) -> str:
    """All that was run, and the totals."""
    parts = []
    if outcomes:
        heading = "  ".join(name.ljust(width) for name, width in zip(_HEADINGS, _WIDTHS, strict=True)).rstrip()
        parts.append("\n".join([heading, *map(line_of, outcomes)]))
    if calm:
        parts.append("\n".join(map(_healthy_line, calm)))
    if outcomes:
        parts.append(totals(outcomes))
    return "\n\n".join([*parts, *told(outcomes, calm)])


def _healthy_line(one: HealthyOutcome) -> str:
    lines = [f"healthy  {one.id:32}  {one.state:6}  {one.modules:6,} modules  {one.seconds:6.1f} s"]
    lines += [f"      {one.reason}"] if one.reason else []
    lines += [f"      false alarm: {alarm}" for alarm in one.false_alarms]
    return "\n".join(lines)


_OPEN: Final = (Verdict.ERROR, Verdict.NOT_RUN)
_COLUMNS: Final[tuple[tuple[str, Callable[[CaseOutcome], bool]], ...]] = (
    ("cases", bool),
    ("caught", lambda one: one.right and one.verdict is Verdict.CAUGHT),
    ("caught when asked", lambda one: one.right and one.verdict is Verdict.ASKED),
    ("missed", lambda one: not one.right and one.verdict not in _OPEN),
    ("no verdict", lambda one: one.verdict in _OPEN),
    ("`pip check` says it", lambda one: bool(one.peers and one.peers.pip_check)),
    ("plain import fails", lambda one: bool(one.peers and one.peers.plain_import)),
)


def totals(outcomes: Collection[CaseOutcome]) -> str:
    """A row a kind, in Markdown. Caught means: with the culprit and the way out named."""
    rows = [("kind", *(name for name, _ in _COLUMNS)), ("---", *("---:" for _ in _COLUMNS))]
    for letter, meaning in KINDS.items():
        of_kind = [one for one in outcomes if one.kind[0] == letter]
        if of_kind:
            rows.append((f"{letter} {meaning}", *_counts(of_kind)))
    rows.append(("**all**", *(f"**{count}**" for count in _counts(outcomes))))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _counts(outcomes: Collection[CaseOutcome]) -> tuple[str, ...]:
    return tuple(str(sum(counts(one) for one in outcomes)) for _, counts in _COLUMNS)


def told(outcomes: Collection[CaseOutcome], calm: Collection[HealthyOutcome]) -> list[str]:
    """The sentences below the totals."""
    twins = [one for one in outcomes if one.twin != "not run"]
    sentences = []
    if twins:
        alarms = sum(len(one.false_alarms) for one in twins)
        kept = sum(one.twin == "kept" for one in twins)
        sentences.append(f"Mended twins: {kept} of {len(twins)} kept, {alarms} false alarms.")
    looked_at = [one for one in calm if one.state not in {"error", "not run"}]
    if looked_at:
        alarms = sum(len(one.false_alarms) for one in looked_at)
        kept = sum(one.state == "kept" for one in looked_at)
        of = f"{kept} of {len(looked_at)} kept"
        modules = sum(one.modules for one in looked_at)
        more = f"; {len(calm) - len(looked_at)} without a verdict" if len(calm) > len(looked_at) else ""
        sentences.append(f"Healthy images: {of}, {alarms} false alarms in {modules:,} modules{more}.")
    return sentences


def readme_block(board: Scoreboard) -> str:
    """What README shows between its two marks."""
    cases, calm = board.cases.values(), board.healthy.values()
    return "\n\n".join([BEGIN, totals(list(cases)), *told(list(cases), list(calm)), END])


def with_block(readme: str, board: Scoreboard) -> str:
    """README's text with the block renewed. Raises ValueError where the marks are not there."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"README.md has not the marks {BEGIN!r} and {END!r}")
    return before + readme_block(board) + after

"""The table, its totals, and README's figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.scoreboard.__main__ import KEPT, choose, unexpected
from tests.scoreboard.case import CaseError, cases, healthy
from tests.scoreboard.images import ROOT
from tests.scoreboard.table import BEGIN, END, Scoreboard, line_of, read, readme_block, table, totals, with_block
from tests.scoreboard.verdict import CaseOutcome, HealthyOutcome, Peers, Verdict


def outcome(name: str = "A10", verdict: Verdict = Verdict.CAUGHT, **changes: Any) -> CaseOutcome:
    fields: dict[str, Any] = {"kind": name[0], "title": "one and two", "visible": True, "small": True, "twin": "kept"}
    fields |= {"culprit": verdict is not Verdict.MISSED, "peers": Peers(pip_check=False, plain_import=True)}
    return CaseOutcome(id=name, verdict=verdict, **(fields | changes))


def calm(**changes: Any) -> HealthyOutcome:
    fields: dict[str, Any] = {"id": "one", "title": "One", "small": True, "state": "kept", "modules": 1200}
    return HealthyOutcome(**(fields | changes))


def test_totals_count_what_is_right_and_tell_asked_and_missed_apart() -> None:
    outcomes = [
        outcome(),
        outcome("A12", culprit=False),
        outcome("E01", Verdict.ASKED),
        outcome("E02", Verdict.MISSED, peers=Peers(pip_check=True, plain_import=False)),
        outcome("E03", Verdict.ERROR, peers=None),
    ]
    rows = totals(outcomes).splitlines()
    assert rows[2] == "| A a version moved | 2 | 1 | 0 | 1 | 0 | 0 | 2 |"
    assert rows[3] == "| E fails only when called | 3 | 0 | 1 | 1 | 1 | 1 | 1 |"
    assert rows[4] == "| **all** | **5** | **1** | **1** | **2** | **1** | **1** | **3** |"


def test_the_table_tells_reasons_and_false_alarms() -> None:
    told = table([outcome(reason="why", false_alarms=("x y: z",))], [calm(false_alarms=("u v: w",), state="broken")])
    assert "      why\n      false alarm: x y: z" in told
    assert "      false alarm: u v: w" in told
    assert "Healthy images: 0 of 1 kept, 1 false alarms in 1,200 modules." in told


def test_a_line_names_the_contract_line_that_was_needed() -> None:
    assert "caught when asked (smoke)" in line_of(outcome("E01", Verdict.ASKED, asked=("smoke",)))


def test_a_scoreboard_keeps_what_was_not_run_again(tmp_path: Path) -> None:
    first = Scoreboard().with_outcome(outcome("B01")).with_outcome(outcome("A10")).with_outcome(calm())
    (tmp_path / "board.json").write_text(first.as_json(), "utf-8")
    second = read(tmp_path / "board.json").joined(Scoreboard().with_outcome(outcome("A10", Verdict.MISSED)))
    assert list(second.cases) == ["A10", "B01"]
    assert second.cases["A10"].verdict is Verdict.MISSED
    assert second.healthy == first.healthy


def test_an_unexpected_outcome_is_a_miss_that_no_coming_check_explains() -> None:
    assert not unexpected(outcome())
    assert not unexpected(outcome(verdict=Verdict.MISSED, reason="failed-smoke is to catch it"))
    assert unexpected(outcome(verdict=Verdict.MISSED, reason="moved-pin is kept"))
    assert unexpected(outcome(culprit=False))
    assert unexpected(outcome(twin="broken"))


def test_only_takes_what_is_there() -> None:
    chosen, images = choose(cases(), healthy(), small=True, only=["A10"], kind=None, with_healthy=True)
    assert ([one.id for one in chosen], images) == (["A10"], [])
    with pytest.raises(CaseError, match="there is no Z99"):
        choose(cases(), healthy(), small=False, only=["Z99"], kind=None, with_healthy=True)
    with pytest.raises(CaseError, match="nothing is left"):
        choose(cases(), healthy(), small=False, only=["A10"], kind="J", with_healthy=True)


def test_readme_shows_the_last_totals() -> None:
    board = read(KEPT)
    readme = (ROOT / "README.md").read_text("utf-8")
    assert readme_block(board) in readme, "run scripts/cases --update"


def test_the_last_scoreboard_has_every_case_and_healthy_image() -> None:
    board = read(KEPT)
    assert list(board.cases) == [one.id for one in cases()]
    assert list(board.healthy) == [one.id for one in healthy()]


def test_readme_without_marks_is_told() -> None:
    board = Scoreboard().with_outcome(outcome())
    assert with_block(f"a\n{BEGIN}\nold\n{END}\nb\n", board) == f"a\n{readme_block(board)}\nb\n"
    with pytest.raises(ValueError, match="marks"):
        with_block("no marks", board)

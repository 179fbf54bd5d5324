"""The command behind scripts/cases."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Annotated

import platformdirs
import typer

from tests.scoreboard import images
from tests.scoreboard.case import Case, CaseError, Healthy, cases, healthy
from tests.scoreboard.images import ROOT, Images
from tests.scoreboard.running import Board
from tests.scoreboard.table import Scoreboard, read, table, told_at_once, with_block
from tests.scoreboard.verdict import CaseOutcome, HealthyOutcome

WHEELS = platformdirs.user_cache_path("imgcheck-cases") / "wheels"
KEPT = ROOT / "docs/scoreboard.json"


def main(
    small: Annotated[bool, typer.Option("--small", help="Only what is under 150 MB, without torch.")] = False,
    only: Annotated[list[str] | None, typer.Option(metavar="ID", help="Only these cases or healthy images.")] = None,
    kind: Annotated[str | None, typer.Option(metavar="K", help="Only cases whose kind has this letter.")] = None,
    no_healthy: Annotated[bool, typer.Option("--no-healthy", help="Leave the healthy images out.")] = False,
    jobs: Annotated[int, typer.Option(min=1, max=16, help="Cases that run side by side.")] = 2,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the outcomes here.")] = None,
    update: Annotated[
        bool, typer.Option("--update", help="Renew docs/scoreboard.json and README's totals with what was run.")
    ] = False,
    wheels: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where wheels are kept between runs.", envvar="IMGCHECK_CASES_WHEELS")
    ] = WHEELS,
    clean: Annotated[bool, typer.Option("--clean", help="Remove all images that this made, and end.")] = False,
) -> None:
    """Make real failures, their mended twins and healthy images, and see what imgcheck says of each.

    Exit status: 0 where every case is caught or known to be missed until a check comes, without a false alarm; else 1.
    """
    if clean:
        images.remove(images.made())
        return
    try:
        chosen, calm = choose(cases(), healthy(), small=small, only=only or (), kind=kind, with_healthy=not no_healthy)
    except CaseError as error:
        typer.echo(error, err=True)
        raise typer.Exit(2) from None
    board = Board(images=Images(wheels))
    found = Scoreboard()
    for outcome in _as_they_come(board, chosen, calm, jobs):
        found = found.with_outcome(outcome)
        sys.stderr.write(told_at_once(outcome) + "\n")
        if json_file:
            json_file.write_text(found.as_json(), "utf-8")
    outcomes, calm_outcomes = tuple(found.cases.values()), tuple(found.healthy.values())
    typer.echo(table(outcomes, calm_outcomes))
    if update:
        renew(read(KEPT).joined(found).covering(cases(), healthy()))
    raise typer.Exit(int(any(map(unexpected, outcomes)) or any(one.state != "kept" for one in calm_outcomes)))


def choose(
    all_cases: Sequence[Case],
    all_healthy: Sequence[Healthy],
    *,
    small: bool,
    only: Sequence[str],
    kind: str | None,
    with_healthy: bool,
) -> tuple[list[Case], list[Healthy]]:
    """What to run.

    Raises:
        CaseError: `only` names what is not there, or nothing is left to run.
    """
    known = {one.id for one in all_cases} | {one.id for one in all_healthy}
    if unknown := [one for one in only if one not in known]:
        raise CaseError(f"--only: there is no {', '.join(unknown)} in tests/cases")
    chosen = [one for one in all_cases if _chosen(one, small, only) and (kind is None or kind in one.kind)]
    calm = [one for one in all_healthy if _chosen(one, small, only) and with_healthy and kind is None]
    if not chosen and not calm:
        raise CaseError("nothing is left to run")
    return chosen, calm


def _chosen(one: Case | Healthy, small: bool, only: Sequence[str]) -> bool:
    return (one.small or not small) and (not only or one.id in only)


def unexpected(one: CaseOutcome) -> bool:
    """Whether an outcome is worse than what is known: a miss that no coming check explains, or a false alarm."""
    return one.twin != "kept" or (not one.right and "is to catch it" not in one.reason)


def renew(board: Scoreboard) -> None:
    """Writes the outcomes, and README's totals of them."""
    KEPT.write_text(board.as_json(), "utf-8")
    readme = ROOT / "README.md"
    readme.write_text(with_block(readme.read_text("utf-8"), board), "utf-8")


def _as_they_come(
    board: Board, chosen: Sequence[Case], calm: Sequence[Healthy], jobs: int
) -> Iterator[CaseOutcome | HealthyOutcome]:
    def outcome(one: Case | Healthy) -> CaseOutcome | HealthyOutcome:
        return board.run(one) if isinstance(one, Case) else board.run_healthy(one)

    everything: list[Case | Healthy] = [*chosen, *calm]
    pool = ThreadPoolExecutor(jobs)
    try:
        for future in as_completed([pool.submit(outcome, one) for one in everything]):
            yield future.result()
    finally:  # after Ctrl-C what runs is finished, so that its containers are removed, and nothing more is begun
        pool.shutdown(cancel_futures=True)


if __name__ == "__main__":
    typer.run(main)

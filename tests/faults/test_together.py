"""Two and eight runs at once, on one engine and one cache, while leftovers are removed all the time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.faults.conftest import PlaceFor
from tests.faults.harness import Place, build_of, verdicts
from tests.faults.table import TOGETHER, rows
from tests.faults.telling import as_told

pytestmark = pytest.mark.engine


@contextmanager
def cleaning_all_the_time(place: Place) -> Iterator[list[str]]:
    """What was told to be removed meanwhile."""
    told: list[str] = []
    over = threading.Event()

    def clean() -> None:
        while not over.is_set():
            told.append(place.clean("--older-than", "0"))

    thread = threading.Thread(target=clean)
    thread.start()
    try:
        yield told
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("count", [2, 8])
def test_runs_beside_each_other_give_what_one_gives(count: int, place_for: PlaceFor, slow: str, tmp_path: Path) -> None:
    (fault,) = rows(TOGETHER, f"{count} runs")
    alone = place_for(name="alone")
    assert alone.run(alone.check()).code == 0
    shared = {"IMGCHECK_CACHE_DIR": str(tmp_path / "shared")}
    places = [place_for(name=f"run-{number}") for number in range(count)]
    for place in places:
        place.environment.update(shared)
    with cleaning_all_the_time(alone) as told:
        builds = [places[0].start(build_of(places[0], slow, 1))]
        running = [*builds, *(one.start(one.check()) for one in places[1:])]
        ended = [one.ended(300) for one in running]
    assert told
    mine = [str(one.process.pid) for one in running]
    assert not [line for line in "".join(told).splitlines() if any(f".{pid}." in line for pid in mine)]
    for place, ran in zip(places, ended, strict=True):
        as_told(fault, ran)
        assert ran.left == ()
        assert "damaged" not in ran.out
        if place is not places[0]:
            assert verdicts(place.report) == verdicts(alone.report)
    assert not list((tmp_path / "shared").rglob(".*"))

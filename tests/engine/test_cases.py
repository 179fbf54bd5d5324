"""The small cases and healthy images of the scoreboard, each with its own verdict; the rest is `scripts/cases`."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
import pytest

from imgcheck.checks import CHECKS
from imgcheck.pipeline import RunOptions
from tests.scoreboard.case import Case, Healthy, cases, healthy
from tests.scoreboard.images import Images
from tests.scoreboard.running import Board

pytestmark = pytest.mark.engine
_KNOWN = {one.name for one in CHECKS}
CASES = [one for one in cases() if one.small and set(one.expected.checks) <= _KNOWN]
HEALTHY = [one for one in healthy() if one.small]


@pytest.fixture(scope="module")
def board(facts_folder: Path) -> Board:
    kept = platformdirs.user_cache_path("imgcheck-cases") / "wheels"
    wheels = Path(os.environ.get("IMGCHECK_CASES_WHEELS", kept))
    return Board(images=Images(wheels), options=RunOptions(cache_folder=facts_folder))


@pytest.mark.parametrize("case", [pytest.param(one, id=one.id) for one in CASES])
def test_a_failure_is_caught_by_its_cause_and_its_twin_left_alone(board: Board, case: Case) -> None:
    found = board.run(case)
    assert found.right, found.model_dump_json(indent=1)
    assert found.twin == "kept", found.false_alarms


@pytest.mark.parametrize("image", [pytest.param(one, id=one.id) for one in HEALTHY])
def test_a_healthy_image_is_left_alone(board: Board, image: Healthy) -> None:
    found = board.run_healthy(image)
    assert found.state == "kept", (found.reason, found.false_alarms)

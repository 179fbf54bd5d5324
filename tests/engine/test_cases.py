"""What the scoreboard knows to be caught, or left alone, stays so: the small cases and healthy images.

Which they are is read from docs/scoreboard.json, which `scripts/cases --update` renews; the rest is `scripts/cases`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from imgcheck.pipeline import RunOptions
from tests.scoreboard.case import Case, Healthy, cases, healthy
from tests.scoreboard.images import ROOT, Images
from tests.scoreboard.running import Board


def is_well(outcome: dict[str, Any] | None) -> bool:
    """Caught, the culprit named, and no false alarm on its twin."""
    if outcome is None:
        return False
    return bool(outcome["verdict"].startswith("caught") and outcome["culprit"] and outcome["twin"] == "kept")


pytestmark = [
    pytest.mark.engine,
    # imgcheck runs in this process, and the engine's client leaves the sockets of ended containers to the collector
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]
KNOWN = json.loads((ROOT / "docs/scoreboard.json").read_text("utf-8"))
CASES = [one for one in cases() if one.small and is_well(KNOWN["cases"].get(one.id))]
HEALTHY = [one for one in healthy() if one.small and KNOWN["healthy"].get(one.id, {}).get("state") == "kept"]


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

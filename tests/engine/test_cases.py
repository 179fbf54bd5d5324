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

from imgcheck.building import BuildRequest
from imgcheck.freezing import FreezeRequest, freeze
from imgcheck.pipeline import RunOptions, plan
from imgcheck.planning import Resolving
from imgcheck.progress import QuietProgress
from tests.scoreboard.case import Case, Healthy, Section, cases, healthy, name_of
from tests.scoreboard.images import ROOT, Images
from tests.scoreboard.running import Board


def is_well(outcome: dict[str, Any] | None) -> bool:
    """Caught, the culprit named, and no false alarm on its twin."""
    if outcome is None:
        return False
    return bool(outcome["verdict"].startswith("caught") and outcome["culprit"] and outcome["twin"] == "kept")


def is_told_early(case: Case) -> bool:
    """Whether the requirement that does the damage names the pinned distribution itself."""
    names = {name_of(one) for one in case.image.requirements}
    return case.base is not None and case.kind.startswith("A") and name_of(case.expected.culprit) in names


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


@pytest.mark.parametrize("case", [pytest.param(one, id=one.id) for one in CASES if is_told_early(one)])
def test_a_version_that_would_move_is_told_before_the_build(board: Board, case: Case, tmp_path: Path) -> None:
    root = board.images.root(case.root)
    base = board.images.build(f"{case.id}-base", root, case.root, case.base or Section())
    freeze(base, tmp_path / "c.yaml", FreezeRequest(), board.options, QuietProgress())
    (tmp_path / "r.txt").write_text("\n".join(case.image.requirements), "utf-8")
    (tmp_path / "Dockerfile").write_text(f"FROM {base}\nCOPY r.txt /r.txt\nRUN pip install -r /r.txt\n", "utf-8")
    request = BuildRequest(context=tmp_path, resolving=Resolving(wanted=False))
    report = plan(request, tmp_path / "c.yaml", board.options, QuietProgress())
    (found,) = [one for one in report.findings if one.name == "unresolvable-requirement"]
    assert case.expected.culprit in found.fault.summary
    assert str(found.fault.cause.step_location) == f"{tmp_path}/Dockerfile:3"


@pytest.mark.parametrize("image", [pytest.param(one, id=one.id) for one in HEALTHY])
def test_a_healthy_image_is_left_alone(board: Board, image: Healthy) -> None:
    found = board.run_healthy(image)
    assert found.state == "kept", (found.reason, found.false_alarms)

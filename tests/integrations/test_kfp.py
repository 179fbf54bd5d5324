"""The Kubeflow recipe: the compiled pipeline holds digests, and what nobody verified is refused. Runs where kfp is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

pytest.importorskip("kfp", reason="pip install kfp runs the Kubeflow recipe")

RECIPE = Path(__file__).parents[2] / "recipes" / "kfp"
DIGEST = "sha256:" + "5" * 64
IMAGE = "registry.example/team/train:1"


def report(folder: Path, **changed: Any) -> Path:
    told = {
        "verdict": "kept",
        "sentence": "KEPT",
        "image": {"reference": IMAGE, "repo_digests": [f"registry.example/team/train@{DIGEST}"]},
    }
    path = folder / "report.json"
    path.write_text(json.dumps({**told, **changed}), "utf-8")
    return path


def compiled(folder: Path, *reports: Path) -> subprocess.CompletedProcess[str]:
    words = [str(RECIPE / "pipeline.py") + ":train", str(folder / "out.yaml"), *map(str, reports)]
    command = [sys.executable, "-W", "ignore", str(RECIPE / "verified.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_compiled_pipeline_holds_digests_and_no_names(tmp_path: Path) -> None:
    done = compiled(tmp_path, report(tmp_path))
    assert done.returncode == 0, done.stderr
    document = next(iter(YAML(typ="safe").load_all(tmp_path / "out.yaml")))
    images = [one["container"]["image"] for one in document["deploymentSpec"]["executors"].values()]
    assert images == [f"registry.example/team/train@{DIGEST}"] * 2


BAD = {
    "broken": ({"verdict": "broken", "sentence": "BROKEN: 1 finding"}, "does not keep its contract: BROKEN"),
    "of another image": ({"image": {"reference": "other:1", "repo_digests": [f"other@{DIGEST}"]}}, "was not verified"),
    "of an image in no registry": ({"image": {"reference": IMAGE, "repo_digests": []}}, "is in no registry yet"),
}


@pytest.mark.parametrize(("changed", "words"), BAD.values(), ids=BAD)
def test_what_was_not_verified_is_refused(changed: dict[str, Any], words: str, tmp_path: Path) -> None:
    done = compiled(tmp_path, report(tmp_path, **changed))
    assert done.returncode == 1
    assert words in done.stderr

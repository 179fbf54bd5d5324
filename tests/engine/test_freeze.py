"""Freezing real base images, one that carries a constraints file of its own among them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.conftest import Run

pytestmark = pytest.mark.engine


def test_a_second_freeze_changes_nothing_and_keeps_what_people_wrote(
    imgcheck: Run, base_image: str, contract: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "base.yaml"
    text = contract.read_text("utf-8").replace("  numpy: 2.3.5", '  numpy: ">=2,<3"  # ours to choose')
    assert "ours to choose" in text
    mine.write_text(text, "utf-8")
    done = imgcheck("freeze", base_image, "-o", str(mine), "-q")
    assert done.code == 0, done.err
    assert mine.read_text("utf-8") == text
    assert "numpy>=2,<3" in (tmp_path / "base.constraints.txt").read_text("utf-8")


def test_the_constraints_file_of_a_base_is_merged_and_its_contradictions_told(
    imgcheck: Run, base_image: str, docker: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "Dockerfile").write_text(
        f"FROM {base_image}\nRUN mkdir -p /etc/pip && "
        "printf 'numpy==1.0\\nnot-installed<2\\n' > /etc/pip/constraint.txt\n"
    )
    docker("build", "-q", "-t", "imgcheck-test/constrained-base:1", str(tmp_path))
    try:
        done = imgcheck("freeze", "imgcheck-test/constrained-base:1", "-o", str(tmp_path / "c.yaml"), "-q")
    finally:
        docker("rmi", "-f", "imgcheck-test/constrained-base:1")
    assert done.code == 0, done.err
    assert "not-installed<2" in (tmp_path / "c.constraints.txt").read_text("utf-8")
    conflict = next(line for line in done.out.splitlines() if line.startswith("conflict:"))
    assert "numpy" in conflict
    assert "/etc/pip/constraint.txt:1" in conflict


def test_names_that_are_not_installed_name_the_near_miss(imgcheck: Run, base_image: str, tmp_path: Path) -> None:
    done = imgcheck("freeze", base_image, "-o", str(tmp_path / "c.yaml"), "--only", "protobuff")
    assert done.code == 2
    assert "protobuf" in done.err
    assert not list(tmp_path.iterdir())

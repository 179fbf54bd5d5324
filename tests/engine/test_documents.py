"""Every command of the tutorial, and with --run-large of the README, run as it is written, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.docs.blocks import Block, blocks

pytestmark = pytest.mark.engine
ROOT = Path(__file__).parents[2]
NOT_RUN = ("pipx install", "scripts/demo", "scripts/test")
"""These set up what this test runs with, or are README's own commands again, or this test."""
OURS = "imgcheck-documents"


def run(command: str, folder: Path, facts: Path) -> tuple[int, str]:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "IMGCHECK_CACHE_DIR": str(facts), "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.fixture
def images(docker: Callable[..., str]) -> Iterator[None]:
    yield
    names = docker("images", "--format", "{{.Repository}}:{{.Tag}}", "--filter", f"reference={OURS}*/*").split()
    if names:
        docker("rmi", *names)


def renamed(text: str, root: str) -> str:
    """Names that are only for this test, and a base that is here."""
    return text.replace("my/", f"{OURS}/").replace("python:3.11-slim", root)


def follow(found: Iterator[Block], folder: Path, facts: Path) -> list[tuple[str, str]]:
    """Writes the files, runs the commands; each with what it printed."""
    told = []
    for block in found:
        if block.title:
            (folder / block.title).write_text(block.text, "utf-8")
        for command in block.commands:
            if command.startswith(NOT_RUN):
                continue
            code, out = run(command, folder, facts)
            last = command == block.commands[-1]
            assert code == (block.exit if last else 0), f"{command}\n{out}"
            told.append((command, out))
    return told


def test_the_tutorial_goes_from_an_empty_folder_to_a_caught_failure(
    root_image: str, facts_folder: Path, images: None, tmp_path: Path
) -> None:
    text = renamed((ROOT / "docs" / "tutorial.md").read_text("utf-8"), root_image)
    told = [out for _, out in follow(blocks(text), tmp_path, facts_folder)]
    assert "unresolvable-requirement" in told[-3]
    assert "requirements.txt:2" in told[-3]
    assert "moved-pin" in told[-2]
    assert "was not tagged" in told[-2]
    assert told[-1].rstrip().splitlines()[-1].startswith("KEPT: ")
    assert "<!-- imgcheck -->" in (tmp_path / "comment.md").read_text("utf-8")
    assert (tmp_path / "report.html").stat().st_size > 20_000
    assert (tmp_path / ".github/workflows/imgcheck.yml").is_file()


def test_the_readme_alone_goes_from_an_empty_folder_to_a_caught_failure(
    root_image: str, facts_folder: Path, images: None, tmp_path: Path
) -> None:
    section = (ROOT / "README.md").read_text("utf-8").partition("## From an empty folder\n")[2].partition("\n## ")[0]
    shown = [line for one in blocks(section) for line in one.text.splitlines() if one.commands and line[:1] not in "$…"]
    _, out = follow(blocks(renamed(section, root_image)), tmp_path, facts_folder)[-1]
    told = out.replace(f"{OURS}/", "my/").splitlines()
    assert len(shown) > 5
    assert [line for line in shown if line not in told] == []


@pytest.mark.large  # the example once more, under other names: minutes; tests/engine/test_example.py holds its outcomes
def test_the_commands_of_the_readme_do_what_it_says(
    base_image: str, root_image: str, facts_folder: Path, images: None, tmp_path: Path
) -> None:
    for name in ("contracts", "dockerfiles"):
        shutil.copytree(ROOT / name, tmp_path / name)
    text = renamed((ROOT / "README.md").read_text("utf-8"), root_image)
    told = follow(blocks(text), tmp_path, facts_folder)
    assert sum(command.startswith("imgcheck ") for command, _ in told) >= 7
    assert any("tensorboardx 2.6" in out for _, out in told)

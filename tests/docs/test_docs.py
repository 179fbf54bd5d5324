"""The site is built without a warning, and every command that a document shows is one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from ruamel.yaml import YAML

from imgcheck import cli
from imgcheck.checks import CHECKS
from imgcheck.contract.loader import parse_contract
from imgcheck.errors import ExitCode
from tests.docs.blocks import blocks, words

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TREE: Any = typer.main.get_command(cli.app)
SHOWN = {
    f"{page.relative_to(ROOT)}: {command}": words(command)
    for page in PAGES
    for block in blocks(page.read_text("utf-8"))
    for command in block.commands
    if words(command)[:1] == ["imgcheck"]
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


def test_the_site_is_built_without_a_warning(site: Path) -> None:
    assert (site / "tutorial" / "index.html").is_file()


def test_the_reference_is_written_from_code(site: Path) -> None:
    def text(page: str) -> str:
        return (site / page / "index.html").read_text("utf-8")

    assert all(one.name in text("checks") for one in CHECKS)
    assert all(f"imgcheck {name}" in text("reference/commands") for name in TREE.commands)
    assert "IMGCHECK_CACHE_DIR" in text("reference/commands")
    assert "os_packages" in text("reference/contract-keys")
    assert all(f"<td>{int(code)}</td>" in text("reference/exit-codes") for code in ExitCode)
    assert "ray-dashboard" in text("reference/probes")


@pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN)
def test_a_command_that_is_shown_is_one(shown: list[str]) -> None:
    assert len(shown) > 1
    command = TREE.commands[shown[1]]
    options = {name for one in command.params for name in one.opts}
    given = [word.partition("=")[0] for word in shown[2:] if word.startswith("-") and word != "-"]
    assert set(given) <= options | {"--help"}


CONTRACTS = {
    f"{page.relative_to(ROOT)}:{index}": block.text
    for page in [*(ROOT / "docs" / "how-to").glob("*.md"), ROOT / "docs" / "contract.md"]
    for index, block in enumerate(blocks(page.read_text("utf-8")))
    if block.language == "yaml" and not block.text.startswith("kind: ")
}


@pytest.mark.parametrize("text", CONTRACTS.values(), ids=CONTRACTS)
def test_contracts_that_are_shown_can_be_read(text: str) -> None:
    assert YAML(typ="safe").load(text)
    whole = text.replace("sha256:…", "sha256:" + "0" * 64)
    parse_contract(whole if "imgcheck: 1" in whole else f"imgcheck: 1\n{whole}", "shown.yaml")

"""Every command of the page "Without an engine" that needs none, run as it is written."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from ruamel.yaml import YAML

from tests.docs.blocks import blocks
from tests.test_here import CONTRACT, venv
from tests.test_still import saved, tree

__all__ = ["tree", "venv"]
PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "without-engine.md").read_text("utf-8")


def test_the_commands_of_the_page_do_what_it_says(venv: Path, tree: Path, tmp_path: Path) -> None:
    (tmp_path / "contracts").mkdir()
    contract = tmp_path / "contracts" / "base.yaml"
    live = CONTRACT.replace("PYTHON", str(venv / "bin" / "python"))
    saved(tree, tmp_path / "image.tar")
    tree.rename(tmp_path / "rootfs")
    variables = {"IMGCHECK_CACHE_DIR": str(tmp_path / "cache"), "NO_COLOR": "1"}
    there = {"PATH": str(venv / "bin")}
    for block in blocks(PAGE):
        for command in block.commands:
            elsewhere = command.startswith("python ")
            files = "--archive" in command or "--rootfs" in command
            contract.write_text(CONTRACT.replace("PYTHON", "/usr/bin/python3") if files else live, "utf-8")
            done = subprocess.run(
                ["/bin/bash", "-c", command],
                cwd=tmp_path,
                env=there if elsewhere else {**os.environ, **variables},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            assert done.returncode == (block.exit if command == block.commands[-1] else 0), done.stdout


def test_the_pod_is_one() -> None:
    (pod,) = (YAML(typ="safe").load(one.text) for one in blocks(PAGE) if one.title == "pod.yaml")
    assert pod["spec"]["initContainers"][0]["command"][:3] == ["imgcheck", "check", "--here"]

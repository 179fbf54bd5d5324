"""The hooks, run by pre-commit itself, which installs imgcheck from this repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from imgcheck import cli

ROOT = Path(__file__).parents[2]
HOOKS: Any = YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")
ENTRIES = {one["id"]: one["entry"].split()[1:] for one in HOOKS}


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_each_hook_is_a_command_with_these_options(entry: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([*entry, "--help"]) == 0


@pytest.mark.engine
def test_pre_commit_runs_the_lint(tmp_path: Path) -> None:
    (tmp_path / "contracts").mkdir()
    contract = tmp_path / "contracts" / "base.yaml"
    contract.write_text("imgcheck: 1\nprobes:\n  - tensorbord\n", "utf-8")
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]

    def git(*words: str, cwd: Path) -> None:
        subprocess.run(["git", *identity, *words], cwd=cwd, check=True, capture_output=True)

    source = tmp_path / "source"
    git("clone", "-q", str(ROOT), str(source), cwd=tmp_path)
    git("init", "-q", cwd=tmp_path)
    git("add", "contracts", cwd=tmp_path)

    def tried() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["pre-commit", "try-repo", str(source), "imgcheck-lint", "--files", "contracts/base.yaml"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "home"), "PYTHONPATH": ""},
        )

    done = tried()
    assert done.returncode == 1, done.stdout + done.stderr
    assert "contracts/base.yaml:3: error: probes: there is no built-in probe 'tensorbord'" in done.stdout
    contract.write_text("imgcheck: 1\nprobes:\n  - tensorboard\n", "utf-8")
    done = tried()
    assert done.returncode == 0, done.stdout + done.stderr

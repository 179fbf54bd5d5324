"""The hooks, run by pre-commit itself, which installs imgcheck from this repository."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from imgcheck import cli
from tests.wheels import make_wheel, simple_index

ROOT = Path(__file__).parents[2]
HOOKS: Any = YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")
ENTRIES = {one["id"]: one["entry"].split()[1:] for one in HOOKS}


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_each_hook_is_a_command_with_these_options(entry: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([*entry, "--help"]) == 0


CONFIG = """\
repos:
  - repo: {source}
    rev: {revision}
    hooks:
      - id: imgcheck-lint
      - id: imgcheck-lock
        args: [requirements.in, -c, contracts/base.yaml, --index-url, "file://{index}"]
      - id: imgcheck-plan
        args: [-c, contracts/base.yaml, --no-resolve, .]
"""


class Repository:
    """A user's repository whose commits the hooks look at."""

    def __init__(self, folder: Path, index: Path) -> None:
        self.folder = folder
        self.index = index

    def git(self, *words: str, cwd: Path | None = None) -> str:
        identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
        done = subprocess.run(
            ["git", *identity, *words], cwd=cwd or self.folder, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
        self.git("add", ".")

    def run(self, program: str, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [program, *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PRE_COMMIT_HOME": str(self.folder.parent / "home"), "PYTHONPATH": "", "NO_COLOR": "1"},
        )


@pytest.fixture(scope="module")
def repository(root_image: str, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("hooks")
    wheels = folder / "wheels"
    for label, needs in (("wirebuf 4.25.3", ()), ("wirebuf 5.0", ()), ("model 1.0", ("wirebuf>=4",))):
        make_wheel(wheels, label, *needs)
    user = Repository(folder / "user", simple_index(folder / "simple", wheels))
    user.folder.mkdir()
    user.git("init", "-q")
    source = folder / "source"
    user.git("clone", "-q", str(ROOT), str(source))
    user.write(
        {
            "contracts/base.yaml": f"imgcheck: 1\nbase: {{image: {root_image}}}\npins:\n  wirebuf: 4.25.3\n",
            "requirements.in": "model\n",
            "Dockerfile": f"FROM {root_image}\nCOPY requirements.txt /\nRUN pip install -r /requirements.txt\n",
            ".pre-commit-config.yaml": CONFIG.format(
                source=source, revision=user.git("rev-parse", "HEAD", cwd=source), index=user.index
            ),
        }
    )
    locked = user.run(
        "imgcheck", "lock", "requirements.in", "-c", "contracts/base.yaml", "--index-url", f"file://{user.index}"
    )
    assert locked.returncode == 0, locked.stderr
    assert "wirebuf==4.25.3" in (user.folder / "requirements.txt").read_text("utf-8")
    user.git("add", ".")
    return user


def hooks(repository: Repository) -> tuple[int, dict[str, bool], str]:
    """The exit code, whether each hook passed, and all that was said."""
    done = repository.run("pre-commit", "run", "--all-files")
    said = done.stdout + done.stderr
    found = re.findall(r"^imgcheck (\w+).*\.(Passed|Failed)$", said, re.MULTILINE)
    return done.returncode, {name: ended == "Passed" for name, ended in found}, said


@pytest.mark.engine
def test_pre_commit_lets_pass_what_is_right_and_stops_the_rest(repository: Repository) -> None:
    code, passed, said = hooks(repository)
    assert (code, passed) == (0, {"lint": True, "lock": True, "plan": True}), said

    contract = (repository.folder / "contracts/base.yaml").read_text("utf-8")
    repository.write(
        {
            "contracts/base.yaml": contract + "probes:\n  - tensorbord\n",
            "requirements.in": "model\nwirebuf>=5\n",
            "Dockerfile": (repository.folder / "Dockerfile").read_text("utf-8") + "RUN PIP_CONSTRAINT= pip install x\n",
        }
    )
    code, passed, said = hooks(repository)
    assert (code, passed["lint"]) == (1, False), said
    assert "contracts/base.yaml:6: error: probes: there is no built-in probe 'tensorbord'" in said

    repository.write({"contracts/base.yaml": contract})
    code, passed, said = hooks(repository)
    assert (code, passed) == (1, {"lint": True, "lock": False, "plan": False}), said
    assert "wirebuf" in said
    assert "Dockerfile:4" in said

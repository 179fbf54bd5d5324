"""The GitHub Action: its form, and its steps run as the scripts that they are."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from check_jsonschema.builtin_schemas import get_builtin_schema
from jsonschema import validators
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
ACTION: Any = YAML(typ="safe").load(ROOT / "action.yml")
STEPS = {step.get("id", step["name"]): step for step in ACTION["runs"]["steps"]}


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    outputs: dict[str, str]
    summary: str


def run(folder: Path, **inputs: str) -> Ran:
    """The step that builds and checks, with a runner's files and the installed command in place of its own."""
    programs = folder / "imgcheck-venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "imgcheck").symlink_to(Path(sys.executable).with_name("imgcheck"))
    given = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | inputs
    context = {f"inputs.{name}": value for name, value in given.items()} | {"runner.temp": str(folder)}

    def expanded(text: str) -> str:
        return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda match: context[match[1]], text)

    step = STEPS["run"]
    assert "${{" not in step["run"], "what a user gives is data, and no part of a script"
    variables = {name: expanded(value) for name, value in step["env"].items()}
    files = {name: folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for path in files.values():
        path.touch()
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env={
            **os.environ,
            **variables,
            **{name: str(path) for name, path in files.items()},
            "RUNNER_TEMP": str(folder),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text("utf-8").splitlines())
    return Ran(done.returncode, done.stdout, outputs, files["GITHUB_STEP_SUMMARY"].read_text("utf-8"))


def test_it_is_an_action() -> None:
    schema = get_builtin_schema("vendor.github-actions")
    validators.validator_for(schema)(schema).validate(json.loads(json.dumps(ACTION)))


def test_a_command_that_is_none_is_refused(tmp_path: Path) -> None:
    done = run(tmp_path, command="; touch x", image="x", contract="c.yaml")
    assert done.code == 2
    assert "command is build or check" in done.out


def test_no_engine_is_told_by_its_exit_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.yaml").write_text("imgcheck: 1\n", "utf-8")
    done = run(tmp_path, command="check", image="x", contract="c.yaml", arguments="--host\nunix:///nowhere.sock")
    assert (done.code, done.outputs["exit-code"]) == (75, "75")


@pytest.mark.engine
def test_an_image_is_checked_and_reported(tmp_path: Path, root_image: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.yaml").write_text('imgcheck: 1\npython: "3.9"\n', "utf-8")
    done = run(tmp_path, command="check", image=root_image, contract="c.yaml", arguments="--select\nwrong-python")
    assert (done.code, done.outputs["exit-code"]) == (1, "1")
    assert "::error file=c.yaml,line=2,title=IC105 wrong-python" in done.out
    assert "#### IC105 wrong-python" in done.summary
    reports = sorted(path.name for path in Path(done.outputs["reports"]).iterdir())
    assert reports == ["facts.json", "imgcheck.sarif", "junit.xml", "report.html", "report.json"]

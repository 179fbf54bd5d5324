"""`imgcheck check --here`: the real command on an environment of this machine, without an engine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from imgcheck import cli
from imgcheck.errors import ExitCode
from imgcheck.subjects import OPEN, own_python
from tests.small_wheels import install

CONTRACT = """\
imgcheck: 1
base: {image: base:1}
python: PYTHON
pins: {good: 1.0}
imports: {jobs: 2}
image: {max_size: 1GB}
runtime: {read_only: true}
smoke:
  - {name: greets, python: "import good; good.greet()"}
"""


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("here") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    install(site, "good", "1.0", {"good.py": "def greet():\n    pass\n"})
    return folder


@pytest.fixture
def contract(venv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("PYTHONPATH", "IMGCHECK_CONTRACT", "IMGCHECK_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MY_API_KEY", "not-to-be-told")
    path = tmp_path / "c.yaml"
    path.write_text(CONTRACT.replace("PYTHON", str(venv / "bin" / "python")), "utf-8")
    return path


def told(*arguments: str) -> tuple[int, dict[str, dict[str, str]], list[str]]:
    """Exit code, results by name, notices."""
    code = cli.run(["check", *arguments, "--report", "json=r.json", "--quiet"])
    report = json.loads(Path("r.json").read_text("utf-8"))
    return code, {one["name"]: one for one in report["checks"]}, report["notices"]


def test_an_environment_is_judged_and_what_no_container_kept_is_said(contract: Path) -> None:
    code, results, notices = told("--here", "-c", str(contract))
    assert code == ExitCode.KEPT
    assert {results[name]["state"] for name in ("moved-pin", "unimportable-module", "failed-smoke")} == {"kept"}
    assert results["image-size"]["state"] == "unverified"
    assert OPEN in notices
    assert any("was not in force here: read_only" in one for one in notices)
    assert any("the base is not compared" in one for one in notices)


def test_what_is_wrong_there_is_found(contract: Path, venv: Path) -> None:
    text = contract.read_text("utf-8").replace("good: 1.0", "good: 2.0").replace("good.greet()", "good.part()")
    contract.write_text(text, "utf-8")
    code, results, _ = told("--here", "-c", str(contract))
    assert code == ExitCode.BROKEN
    assert {results[name]["state"] for name in ("moved-pin", "failed-smoke")} == {"broken"}


def test_strict_fails_what_is_not_verified(contract: Path) -> None:
    assert told("--here", "-c", str(contract), "--strict")[0] == ExitCode.BROKEN


def test_saved_facts_hold_no_secret_and_give_the_same_verdict(contract: Path) -> None:
    assert cli.run(["check", "--here", "-c", str(contract), "--save-facts", "f.json", "--quiet"]) == ExitCode.KEPT
    text = Path("f.json").read_text("utf-8")
    assert "MY_API_KEY" in text
    assert "not-to-be-told" not in text
    assert cli.run(["report", "f.json", "-c", str(contract), "--quiet"]) == ExitCode.KEPT
    assert cli.run(["report", "f.json", "-c", str(contract), "--quiet", "--strict"]) == ExitCode.BROKEN


MISTAKES = {
    "two at once": (["my/train:1", "--here"], "IMAGE and --here exclude each other"),
    "none": ([], "nothing is named"),
    "an interpreter of an image": (["my/train:1", "--python", "python3"], "--python names an interpreter for --here"),
    "an interpreter that is not there": (["--here", "--python", "/no/python"], "/no/python is no program"),
    "another user": (["--here", "--vantage", "1000"], "--vantage needs a container"),
}


@pytest.mark.parametrize(("arguments", "words"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_told(
    arguments: list[str], words: str, contract: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["check", *arguments, "-c", str(contract)]) == ExitCode.USAGE
    assert words in capsys.readouterr().err


def test_the_interpreter_is_that_of_the_active_environment_or_imgchecks_own(tmp_path: Path) -> None:
    own = "/opt/venv/bin/python"
    assert own_python("/opt/venv", own, {}) == own
    assert own_python("/opt/venv", own, {"CONDA_PREFIX": "/opt/conda/envs/train"}) == "/opt/conda/envs/train/bin/python"
    assert own_python("/opt/venv", own, {"VIRTUAL_ENV": "/w/.venv", "CONDA_PREFIX": "/c"}) == "/w/.venv/bin/python"


def test_an_environment_of_pipx_is_not_what_is_meant(tmp_path: Path) -> None:
    (tmp_path / "pipx_metadata.json").touch()
    program = tmp_path / "bin" / "python3"
    program.parent.mkdir()
    program.symlink_to(sys.executable)
    assert own_python(str(tmp_path), "/own", {"PATH": str(program.parent)}) == str(program)

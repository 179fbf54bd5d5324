"""The command line without an engine: exit codes, and messages that say what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from imgcheck import cli
from imgcheck.errors import ExitCode, ImgcheckError
from imgcheck.options import spelled_out

CONTRACT = "imgcheck: 1\nbase: {image: base:1}\npins: {torch: 1.10}\n"
NO_ENGINE = ("--host", "unix:///nowhere/docker.sock")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("IMGCHECK_HOST", "IMGCHECK_CONTRACT", "IMGCHECK_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / ".git").mkdir()
    (tmp_path / "base.yaml").write_text(CONTRACT, "utf-8")
    return tmp_path


def test_no_engine_is_worth_a_retry_and_says_how_to_start_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["check", "my/train:1", "-c", "base.yaml", *NO_ENGINE]) == ExitCode.OUT_OF_REACH
    told = capsys.readouterr().err
    assert "unix:///nowhere/docker.sock (from --host)" in told
    assert "systemctl start docker" in told


BAD = {
    "a contract that is not there": (["check", "x", "-c", "bse.yaml"], "base.yaml"),
    "a check that does not exist": (["check", "x", "-c", "base.yaml", "--select", "movd-pin"], "moved-pin"),
    "a format that does not exist": (["check", "x", "-c", "base.yaml", "--format", "jsn"], "json"),
    "a report into no folder": (["check", "x", "-c", "base.yaml", "--report", "json=no/r.json"], "no/r.json"),
    "a contract for imports that is not there": (["imports", "x", "-c", "bse.yaml"], "base.yaml"),
    "no time at all": (["imports", "x", "--timeout", "0"], "--timeout"),
    "a command that does not exist": (["chek"], "check"),
    "an option that does not exist": (["check", "x", "--contrct", "base.yaml"], "--contract"),
}


@pytest.mark.parametrize(("arguments", "hint"), BAD.values(), ids=BAD)
def test_a_mistake_is_a_usage_error_with_a_way_out(
    arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(arguments) == ExitCode.USAGE
    assert hint in capsys.readouterr().err


def test_a_mistake_in_the_contract_names_file_line_and_key(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "base.yaml").write_text("imgcheck: 1\nprbes: [tensorboard]\n", "utf-8")
    assert cli.run(["check", "x", "-c", "base.yaml"]) == ExitCode.USAGE
    told = capsys.readouterr().err
    assert "base.yaml:2: prbes" in told
    assert "probes" in told


def test_an_unknown_probe_names_the_near_miss(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "base.yaml").write_text("imgcheck: 1\nprobes:\n  - tensorbord\n", "utf-8")
    assert cli.run(["check", "x", "-c", "base.yaml"]) == ExitCode.USAGE
    assert "base.yaml:3: probes: there is no built-in probe 'tensorbord'; did you mean 'tensorboard'?" in (
        capsys.readouterr().err
    )


def test_settings_give_defaults_and_flags_win(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "pyproject.toml").write_text(
        '[tool.imgcheck]\ncontract = "base.yaml"\nhost = "unix:///a.sock"\n', "utf-8"
    )
    assert cli.run(["check", "x"]) == ExitCode.OUT_OF_REACH
    assert "/a.sock" in capsys.readouterr().err
    assert cli.run(["check", "x", *NO_ENGINE]) == ExitCode.OUT_OF_REACH
    assert "/nowhere/docker.sock" in capsys.readouterr().err


def test_the_environment_wins_over_settings(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "imgcheck.toml").write_text('host = "unix:///a.sock"\n', "utf-8")
    monkeypatch.setenv("IMGCHECK_HOST", "unix:///b.sock")
    cli.run(["check", "x", "-c", "base.yaml"])
    assert "/b.sock" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "hint"),
    [("hots = 'x'\n", "did you mean 'host'?"), ("host = \n", "imgcheck.toml"), ("[host\n", "imgcheck.toml")],
)
def test_a_mistake_in_the_settings_names_the_file(
    folder: Path, text: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "imgcheck.toml").write_text(text, "utf-8")
    assert cli.run(["schema"]) == ExitCode.USAGE
    assert hint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        pytest.param(["build", "--prove-rebuild", "."], ["build", "--prove-rebuild=build", "."], id="alone"),
        pytest.param(["build", "--prove-rebuild=resolve"], ["build", "--prove-rebuild=resolve"], id="with-a-value"),
        pytest.param(["build", "--", "--prove-rebuild"], ["build", "--", "--prove-rebuild"], id="an-operand"),
    ],
)
def test_prove_rebuild_needs_no_value(arguments: list[str], meant: list[str]) -> None:
    assert spelled_out(arguments) == meant


def test_the_schema_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["schema"]) == ExitCode.KEPT
    assert "pins" in json.loads(capsys.readouterr().out)["properties"]


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--version"]) == ExitCode.KEPT
    assert capsys.readouterr().out.startswith("imgcheck ")
    assert cli.run(["build", "--help"]) == ExitCode.KEPT
    assert "constraints in force" in capsys.readouterr().out


def all_errors(kind: type[ImgcheckError]) -> list[type[ImgcheckError]]:
    return [found for one in kind.__subclasses__() for found in (one, *all_errors(one))]


def test_each_early_stop_has_an_exit_code_that_is_not_success() -> None:
    assert all(one.exit_code not in {ExitCode.KEPT, ExitCode.BROKEN} for one in all_errors(ImgcheckError))

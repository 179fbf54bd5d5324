"""init, lint and doctor, and the names of options; none of it needs an engine."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest
import typer
from check_jsonschema.builtin_schemas import get_builtin_schema
from jsonschema import validators
from ruamel.yaml import YAML

from imgcheck import cli
from imgcheck.contract.loader import load_contract
from imgcheck.doctoring import Health, examine
from imgcheck.errors import ExitCode
from imgcheck.linting import lint
from imgcheck.naming import known_options
from imgcheck.observed import Observed
from tests.checks.build_facts import dist, facts

TODAY = date(2026, 12, 1)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def told(folder: Path, text: str, facts_file: Path | None = None) -> list[str]:
    (folder / "c.yaml").write_text("imgcheck: 1\n" + text, "utf-8")
    return [str(one).replace(f"{folder}/", "").split(" →")[0] for one in lint(Path("c.yaml"), facts_file, TODAY)]


def waiver(check: str, until: date) -> str:
    return f"  - {{check: {check}, subject: x, reason: r, owner: o, until: {until}}}\n"


SOON = TODAY + timedelta(days=12)
ODD = {
    "a probe that is none": (
        "probes:\n  - ray-dashbord\n",
        "c.yaml:3: error: probes: there is no built-in probe 'ray-dashbord'; did you mean 'ray-dashboard'?",
    ),
    "a waiver of no check": (
        "waivers:\n" + waiver("movd-pin", date(2030, 1, 1)),
        "c.yaml:3: error: waivers: the waiver of movd-pin for x names no check",
    ),
    "a waiver that ended": (
        "pins: {x: 1.0}\nwaivers:\n" + waiver("IC101", date(2026, 11, 30)),
        "c.yaml:4: error: waivers: the waiver of IC101 for x ended on 2026-11-30",
    ),
    "a waiver that ends soon": (
        "pins: {x: 1.0}\nwaivers:\n" + waiver("IC101", SOON),
        f"c.yaml:4: warning: waivers: the waiver of IC101 for x ends in 12 days, on {SOON}",
    ),
    "a waiver of what is not asked for": (
        "waivers:\n" + waiver("old-driver", date(2030, 1, 1)),
        (
            "c.yaml:3: warning: waivers: the waiver of old-driver for x is unused: "
            "the contract does not ask for that check"
        ),
    ),
    "a protected one without a pin": (
        "protect: [torch]\n",
        "c.yaml:2: warning: protect: torch is protected and not pinned: another version would be no moved pin",
    ),
    "a lock that is not there": (
        "locks: [no.txt]\n",
        "c.yaml:2: error: locks: there is no file 'no.txt' beside the contract",
    ),
}


@pytest.mark.parametrize(("text", "expected"), ODD.values(), ids=ODD)
def test_what_is_odd_is_told_with_its_line(text: str, expected: str, folder: Path) -> None:
    assert told(folder, text) == [expected]


def test_a_sound_contract_has_no_remark(folder: Path) -> None:
    assert told(folder, "pins: {x: 1.0}\nprobes: [tensorboard]\nwaivers:\n" + waiver("IC101", date(2030, 1, 1))) == []


def test_a_pin_that_the_extended_contract_has_is_told(folder: Path) -> None:
    (folder / "above.yaml").write_text("imgcheck: 1\npins: {numpy: 1.26.4, torch: 2.1.0}\n", "utf-8")
    assert told(folder, "extends: above.yaml\npins:\n  numpy: 1.26.4\n  torch: 2.2.0\n") == [
        "c.yaml:4: warning: pins: numpy is pinned the same in above.yaml"
    ]


def test_saved_facts_tell_unused_waivers_and_pins(folder: Path) -> None:
    seen = Observed(facts=facts(dist("numpy 1.26.4", modules=["numpy"])))
    (folder / "facts.json").write_text(seen.model_dump_json(), "utf-8")
    text = "pins:\n  numpy: 1.26.4\n  gone: 1.0\nwaivers:\n" + waiver("IC101", date(2030, 1, 1))
    assert told(folder, text, folder / "facts.json") == [
        "c.yaml:4: warning: pins: gone is in neither the image nor its base: nobody needs the pin",
        "c.yaml:6: warning: waivers: The waiver of IC101 for x matches no finding.",
    ]


def test_errors_fail_and_warnings_do_where_asked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "c.yaml").write_text("imgcheck: 1\nprotect: [torch]\n", "utf-8")
    assert cli.run(["lint", "c.yaml"]) == ExitCode.KEPT
    assert "c.yaml:2: warning: protect" in capsys.readouterr().out
    assert cli.run(["lint", "c.yaml", "--strict"]) == ExitCode.BROKEN
    (folder / "c.yaml").write_text("imgcheck: 1\nprobes: [x]\n", "utf-8")
    assert cli.run(["lint", "c.yaml"]) == ExitCode.BROKEN
    (folder / "c.yaml").write_text("imgcheck: 1\npins: {x: }\n", "utf-8")
    assert cli.run(["lint", "c.yaml"]) == ExitCode.USAGE


# init ----------------------------------------------------------------------------------------------------------------

SCHEMAS = {
    "github": (".github/workflows/imgcheck.yml", "vendor.github-workflows"),
    "gitlab": (".gitlab/imgcheck.yml", "vendor.gitlab-ci"),
    "buildkite": (".buildkite/imgcheck.yml", "vendor.buildkite"),
}


@pytest.mark.parametrize(("kind", "path", "schema"), [(kind, *both) for kind, both in SCHEMAS.items()], ids=SCHEMAS)
def test_pipelines_are_as_their_services_schemas_say(kind: str, path: str, schema: str, folder: Path) -> None:
    assert (
        cli.run(["init", "--base", "python:3.11-slim", "--ci", kind, "-f", "docker/train.Dockerfile"]) == ExitCode.KEPT
    )
    document = YAML(typ="safe").load(folder / path)
    found = get_builtin_schema(schema)
    validators.validator_for(found)(found).validate(json.loads(json.dumps(document)))
    text = (folder / path).read_text("utf-8")
    assert not re.search(r"@[A-Z]+@", text)
    assert "-f docker/train.Dockerfile" in text
    assert " docker\n" in text or " docker \\\n" in text


def test_a_first_contract_is_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["init", "--base", "python:3.11-slim"]) == ExitCode.KEPT
    base = load_contract(folder / "contracts/base.yaml").base
    assert base
    assert base.image == "python:3.11-slim"
    named = (folder / "contracts/base.yaml").read_text("utf-8").splitlines()[0].rpartition("=")[2]
    assert json.loads((folder / "contracts" / named).read_text("utf-8"))["title"].startswith("imgcheck contract")
    assert "next: imgcheck freeze python:3.11-slim -o contracts/base.yaml" in capsys.readouterr().out
    assert lint(folder / "contracts/base.yaml", None, TODAY) == ()


def test_what_is_there_is_left_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "contracts").mkdir()
    (folder / "contracts/base.yaml").write_text("mine", "utf-8")
    (folder / ".pre-commit-config.yaml").write_text("repos: []\n", "utf-8")
    assert cli.run(["init", "--base", "b:1"]) == ExitCode.KEPT
    assert (folder / "contracts/base.yaml").read_text("utf-8") == "mine"
    out = capsys.readouterr().out
    assert "left alone: contracts/base.yaml" in out
    assert "add to .pre-commit-config.yaml" in out


@pytest.mark.parametrize(
    "arguments", [["init"], ["init", "--base", "two words"]], ids=["nobody-to-ask", "no-reference"]
)
def test_a_first_contract_needs_a_base(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(arguments) == ExitCode.USAGE
    assert "base" in capsys.readouterr().err


# doctor --------------------------------------------------------------------------------------------------------------


def test_a_machine_without_an_engine_is_told_how_to_start_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["doctor", "--host", "unix:///nowhere.sock"]) == ExitCode.OUT_OF_REACH
    assert "systemctl start docker" in capsys.readouterr().out


def test_a_login_whose_helper_is_gone_and_a_bundle_that_is_not_there_are_told(folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps({"auths": {"r.example": {}}, "credsStore": "no-such"}), "utf-8")
    environ = {"DOCKER_CONFIG": str(folder), "PIP_CERT": "/no/ca.pem", "PATH": os.environ["PATH"]}
    found = {one.what: one for one in examine("unix:///nowhere.sock", folder, environ)}
    assert "no-such" in found["registry login"].told
    assert "PIP_CERT=/no/ca.pem" in found["CA bundle"].told
    assert {found[name].health for name in ("engine", "registry login", "CA bundle")} == {Health.BAD}


def test_logins_are_named(folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps({"auths": {"r.example": {}}}), "utf-8")
    found = {one.what: one for one in examine("unix:///nowhere.sock", folder, {"DOCKER_CONFIG": str(folder)})}
    assert found["registry login"].told == "r.example"


# names of options ----------------------------------------------------------------------------------------------------


def test_every_option_has_a_variable(
    monkeypatch: pytest.MonkeyPatch, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "c.yaml").write_text("imgcheck: 1\nprotect: [torch]\n", "utf-8")
    monkeypatch.setenv("IMGCHECK_STRICT", "1")
    assert cli.run(["lint", "c.yaml"]) == ExitCode.BROKEN
    monkeypatch.setenv("IMGCHECK_FORMAT", "jsn")
    assert cli.run(["check", "x", "-c", "c.yaml"]) == ExitCode.USAGE
    assert "'jsn' is no report format" in capsys.readouterr().err


def test_every_option_is_a_setting(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "c.yaml").write_text("imgcheck: 1\nprotect: [torch]\n", "utf-8")
    (folder / "pyproject.toml").write_text('[tool.imgcheck]\nformat = "jsn"\ncontract = "c.yaml"\n', "utf-8")
    assert cli.run(["check", "x"]) == ExitCode.USAGE
    assert "'jsn' is no report format" in capsys.readouterr().err


def test_options_are_known_by_their_long_names() -> None:
    known = known_options(typer.main.get_command(cli.app))
    assert {"contract", "format", "cache-dir", "build-arg", "tag", "dockerfile"} <= known
    assert not {"help", "version", "install-completion"} & known


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_get_a_completion(shell: str) -> None:
    script = completed({"_IMGCHECK_COMPLETE": f"source_{shell}"})
    assert "_IMGCHECK_COMPLETE" in script


def test_checks_and_commands_are_completed() -> None:
    words = {"_IMGCHECK_COMPLETE": "complete_bash", "COMP_WORDS": "imgcheck explain mov", "COMP_CWORD": "2"}
    assert set(completed(words).split()) == {"moved-pin", "moved-os-package"}
    words = {"_IMGCHECK_COMPLETE": "complete_bash", "COMP_WORDS": "imgcheck che", "COMP_CWORD": "1"}
    assert completed(words).split() == ["check"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_each_shell_asks_in_its_own_way(shell: str) -> None:
    asked = {"_IMGCHECK_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    told = completed({**asked, "_TYPER_COMPLETE_ARGS": "imgcheck explain mov"})
    assert re.findall(r"[\w-]*mov[\w-]+", told) == ["moved-pin", "moved-os-package"]
    assert re.findall(r"\bche\w+", completed({**asked, "_TYPER_COMPLETE_ARGS": "imgcheck che"}))[0] == "check"


def completed(variables: dict[str, str]) -> str:
    code = "import sys; sys.argv[0] = 'imgcheck'; from imgcheck.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
    return done.stdout

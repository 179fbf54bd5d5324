"""The collector in one file: run by other Pythons without imgcheck, and its facts judged here, whole or not at all."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from imgcheck import cli
from imgcheck.engines.recorded import read_recording
from imgcheck.errors import ExitCode, UsageError
from tests.small_wheels import install

CONTRACT = """\
imgcheck: 1
pins: {good: 1.0}
imports: {jobs: 2}
requires: true
image: {max_size: 1GB}
runtime: {env: {MODE: offline}}
smoke:
  - {name: greets, python: "import good, os; assert os.environ['MODE'] == 'offline'"}
"""


def another_python() -> str:
    """Of another version than this one, where the machine has one."""
    named = (shutil.which(f"python3.{minor}") for minor in (8, 13, 9, 12, 10) if minor != sys.version_info.minor)
    found = [*filter(None, named), *map(str, Path.home().glob(".pyenv/versions/3.8.*/bin/python"))]
    works = (one for one in found if not subprocess.run([one, "-c", ""], capture_output=True, check=False).returncode)
    return next(works, sys.executable)


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("elsewhere") / "venv"
    subprocess.run([another_python(), "-m", "venv", "--without-pip", str(folder)], check=True)
    install(next(folder.glob("lib/python*/site-packages")), "good", "1.0", {"good.py": "import json\n"})
    return folder


@pytest.fixture(scope="module")
def facts(venv: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the file told, in an environment that has no imgcheck."""
    folder = tmp_path_factory.mktemp("standalone")
    (folder / "c.yaml").write_text(CONTRACT, "utf-8")
    assert cli.run(["collector", "-o", str(folder / "c.pyz"), "-c", str(folder / "c.yaml")]) == ExitCode.KEPT
    done = run(venv, folder / "c.pyz")
    assert done.returncode == 0, done.stderr
    (folder / "facts.jsonl").write_bytes(done.stdout)
    return folder / "facts.jsonl"


def run(venv: Path, archive: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    clean = {"PATH": str(venv / "bin"), "SECRET_KEY": "not-to-be-told"}
    command = [str(venv / "bin" / "python"), archive.name, *arguments]
    return subprocess.run(command, cwd=archive.parent, env=clean, capture_output=True, check=False)


def judged(facts: Path, contract: Path, folder: Path, *more: str) -> tuple[int, dict[str, str]]:
    told = folder / "r.json"
    code = cli.run(["check", "--facts", str(facts), "-c", str(contract), "--report", f"json={told}", "-q", *more])
    return code, {one["name"]: one["state"] for one in json.loads(told.read_text("utf-8"))["checks"]}


def test_what_another_python_told_is_judged_here(facts: Path, tmp_path: Path) -> None:
    code, states = judged(facts, facts.parent / "c.yaml", tmp_path)
    assert code == ExitCode.KEPT
    asked = ("moved-pin", "missing-file", "unimportable-module", "unmet-requirement", "failed-smoke")
    assert {states[name] for name in asked} == {"kept"}
    assert states["image-size"] == "unverified"
    assert b"not-to-be-told" not in facts.read_bytes()
    assert not list(facts.parent.glob("imgcheck-*"))


def test_it_is_judged_again_by_another_contract(facts: Path, tmp_path: Path) -> None:
    contract = tmp_path / "c.yaml"
    contract.write_text(CONTRACT.replace("good: 1.0", "good: 2.0"), "utf-8")
    code, states = judged(facts, contract, tmp_path)
    assert code == ExitCode.BROKEN
    assert states["moved-pin"] == "broken"


def test_what_was_not_asked_over_there_is_not_verified(facts: Path, tmp_path: Path) -> None:
    contract = tmp_path / "c.yaml"
    contract.write_text(CONTRACT.replace("jobs: 2", "timeout: 5") + "native: true\n", "utf-8")
    code, states = judged(facts, contract, tmp_path)
    assert code == ExitCode.KEPT
    assert {states[name] for name in ("unimportable-module", "swallowed-load", "missing-library")} == {"unverified"}
    assert judged(facts, contract, tmp_path, "--strict")[0] == ExitCode.BROKEN


def test_a_part_is_told_alone(facts: Path, venv: Path, tmp_path: Path) -> None:
    done = run(venv, facts.parent / "c.pyz", "--only", "inventory,files")
    part = tmp_path / "part.jsonl"
    part.write_bytes(done.stdout)
    _, states = judged(part, facts.parent / "c.yaml", tmp_path)
    assert (states["missing-file"], states["unimportable-module"]) == ("kept", "unverified")


def test_wrong_arguments_are_told_with_what_there_is(facts: Path, venv: Path) -> None:
    done = run(venv, facts.parent / "c.pyz", "--only", "all")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"jobs: inventory, files" in done.stderr
    assert run(venv, facts.parent / "c.pyz", "--help").returncode == 0


def _swapped(lines: list[bytes]) -> list[bytes]:
    return [*lines[:3], lines[4], lines[3], *lines[5:]]


DAMAGE: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "cut": (lambda lines: lines[:-4], "broke off"),
    "cut within a line": (lambda lines: [*lines[:-4], lines[-4][:20]], "garbled"),
    "a line taken out": (lambda lines: [*lines[:5], *lines[6:]], "out of sequence"),
    "two lines swapped": (_swapped, "out of sequence"),
    "a line edited": (lambda lines: [one.replace(b'"1.0"', b'"2.0"') for one in lines], "changed after"),
    "another's line": (lambda lines: [*lines[:2], b'{"secret":"x"}\n', *lines[2:]], "not the collector's"),
    "something behind its end": (lambda lines: [*lines, b"{}\n"], "not what the collector wrote"),
    "nothing": (lambda _: [], "holds no facts"),
    "no facts at all": (lambda _: [b"imgcheck: 1\n"], "holds no facts"),
    "saved facts": (lambda _: [b'{"format":1,"facts":{}}'], "holds no facts"),
    "another version's": (
        lambda lines: [lines[0].replace(b'"collector":"sha256:', b'"collector":"sha256:0'), *lines[1:]],
        "is not this one's",
    ),
}


@pytest.mark.parametrize(("damage", "words"), DAMAGE.values(), ids=DAMAGE)
def test_a_file_that_is_not_whole_is_refused(
    damage: Callable[[list[bytes]], list[bytes]],
    words: str,
    facts: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    damaged = tmp_path / "facts.jsonl"
    damaged.write_bytes(b"".join(damage(facts.read_bytes().splitlines(keepends=True))))
    code = cli.run(["check", "--facts", str(damaged), "-c", str(facts.parent / "c.yaml")])
    told = capsys.readouterr().err
    assert code == ExitCode.USAGE
    assert words in told
    assert "facts.jsonl: " in told
    assert "collect them again" in told


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read_recording(tmp_path / "facts.jsonl")


def test_the_usual_is_asked_without_a_contract(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["collector", "-o", str(tmp_path / "c.pyz")]) == ExitCode.KEPT
    told = capsys.readouterr().out
    asked = ("inventory", "files", "surroundings", "imports", "statements", "native", "os-packages", "toolchain")
    assert all(one in told for one in asked)
    assert cli.run(["collector", "-o", str(tmp_path / "no" / "c.pyz")]) == ExitCode.USAGE

"""`imgcheck imports`, with the real collector and this machine's Python."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from imgcheck import cli
from imgcheck.contract.model import Contract
from imgcheck.errors import ExitCode
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from imgcheck.importing import ImportsRequest
from imgcheck.outcome import RemarkKind
from imgcheck.pipeline import RunOptions, judge_subject
from imgcheck.progress import QuietProgress
from imgcheck.report.text import render_text
from imgcheck.subjects import Subject
from tests.local_engine import LocalEngine, an_image

FILES = {
    "good.py": "import json\n",
    "bad/__init__.py": "",
    "bad/missing.py": "try:\n    import nowhere\nexcept ImportError as e:\n    raise RuntimeError('no') from e\n",
    "bad/same.py": "raise RuntimeError('no')\n",
    "bad/inner/__init__.py": "import sys\nsys.exit(3)\n",
    "bad/inner/most.py": "",
    "bad/writes.py": "import os, sys\nos.environ['NEW_NAME'] = ''\nsys.stderr.write('said so')\n"
    "open(os.path.join(os.path.dirname(__file__), 'written'), 'w').close()\n",
    "bad/tests/__init__.py": "",
    "bad/tests/test_it.py": "1 / 0\n",
}
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="session")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("imports") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "Sample_Dist-1.2.dist-info").mkdir()
    (site / "Sample_Dist-1.2.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: Sample-Dist\nVersion: 1.2\n"
    )
    for name, text in FILES.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)
    (site / "Sample_Dist-1.2.dist-info" / "RECORD").write_text("".join(f"{name},,\n" for name in FILES))
    return folder


@pytest.fixture
def engine(venv: Path, monkeypatch: pytest.MonkeyPatch) -> LocalEngine:
    found = LocalEngine(str(venv / "bin" / "python"))
    monkeypatch.setattr("imgcheck.importing.connect", lambda _options, _progress: found)
    return found


@pytest.fixture
def run(
    engine: LocalEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()

    def command(*arguments: str) -> tuple[int, str, str]:
        code = cli.run(["imports", "here:1", *arguments, "--cache-dir", str(tmp_path / "cache")])
        told = capsys.readouterr()
        return code, told.out, told.err

    return command


def test_one_module_is_told_with_its_whole_story(run: Run) -> None:
    code, out, _ = run("bad.writes")
    assert code == ExitCode.KEPT
    for words in (
        "✓ bad.writes  of Sample-Dist 1.2",
        "imported in a bare interpreter of its own",
        "MiB at most",
        "2  sample-dist 1.2",
        "sets       NEW_NAME",
        "/bad/written",
        "stderr     │ said so",
        "IMPORTED: bad.writes",
    ):
        assert words in out


def test_a_failing_module_is_told_with_traceback_and_chain(run: Run) -> None:
    code, out, _ = run("bad.missing")
    assert code == ExitCode.BROKEN
    assert "│ RuntimeError: no" in out
    assert "caused by  │   File" in out
    assert "│ ModuleNotFoundError: No module named 'nowhere'" in out
    assert "NOT IMPORTED: bad.missing" in out


def test_everything_is_told_as_counts_groups_and_the_slowest(run: Run) -> None:
    code, out, err = run()
    assert code == ExitCode.BROKEN
    assert "✓ 3 imported" in out
    assert "✗ 2 ended the process" in out
    assert "✗ 2 raised an exception" in out
    assert "- 2 left out: test 2" in out
    assert "Sample-Dist 1.2  4 of 7 modules fail" in out
    assert "✗ 2 modules  RuntimeError: no" in out
    assert "    bad.same  " in out
    assert "ends the process with status 3\n    bad.inner" in out
    assert "and 1 module below" in out
    assert "slowest imports" in out
    assert "changed the environment\n    bad.writes  NEW_NAME" in out
    assert "NOT IMPORTED: 4 of 7 modules" in out
    assert "Importing every module of here:1 7/7: done" in err


def test_tests_are_swept_where_asked_for(run: Run) -> None:
    assert "ZeroDivisionError: division by zero" in run("--tests")[1]


def test_a_pattern_means_what_a_sweep_imports(run: Run) -> None:
    document = json.loads(run("bad.*", "--json")[1])
    assert sorted(one["module"] for one in document["modules"]) == [
        "bad.inner",
        "bad.inner.most",
        "bad.missing",
        "bad.same",
        "bad.writes",
    ]
    assert document["counts"] == {"exception": 2, "exit": 2, "ok": 1}
    assert document["exit_code"] == 1
    assert document["distributions"] == [{"name": "Sample-Dist", "version": "1.2", "imported": 1, "failed": 4}]
    assert document["loads"]["bad.writes"]["sample-dist 1.2"] == 2
    assert document["asked"] == ["bad.*"]


def test_a_test_that_is_named_is_imported(run: Run) -> None:
    assert "ZeroDivisionError" in run("bad.tests.test_it")[1]


def test_facts_are_reused_for_the_same_modules_only(run: Run, engine: LocalEngine) -> None:
    run("good")
    assert engine.started == 2
    assert "reused" in run("good")[1]
    assert engine.started == 2
    run("bad")
    assert engine.started == 3
    run("bad", "--no-cache")
    assert engine.started == 5


def test_a_contract_gives_its_options_and_flags_win(run: Run, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("imgcheck: 1\nimports: {exclude: ['bad.*'], timeout: 7}\n", "utf-8")
    code, out, _ = run("-c", "c.yaml")
    assert (code, "IMPORTED: " in out) == (ExitCode.KEPT, True)
    code, _, err = run("bad.*", "-c", "c.yaml")
    assert (code, "'bad.*' means no module" in err) == (ExitCode.USAGE, True)
    request = ImportsRequest(contract=tmp_path / "c.yaml", tests=True, interpreter="/opt/python")
    contract, options = request.settled()
    assert (contract.interpreter, options.timeout, options.tests) == ("/opt/python", 7, True)
    assert ImportsRequest(contract=tmp_path / "c.yaml", timeout=3).settled()[1].timeout == 3


WRONG = {
    "bad.mising": "did you mean 'bad.missing'?",
    "json": "a part of Python itself",
    "sample-dist": "Sample-Dist is a distribution; its modules: bad, good",
    "nothing_like_it": "lists all modules",
    "bda.*": "'bda.*' means no module",
}


@pytest.mark.parametrize(("name", "hint"), WRONG.items())
def test_a_name_that_no_module_has_is_a_usage_error(run: Run, name: str, hint: str) -> None:
    code, _, err = run(name)
    assert code == ExitCode.USAGE
    assert hint in err


def test_a_timeout_is_told(run: Run, venv: Path) -> None:
    site = next(venv.glob("lib/python*/site-packages"))
    text = (site / "good.py").read_text()
    (site / "good.py").write_text("import time\ntime.sleep(30)\n")
    try:
        code, out, _ = run("good", "--timeout", "0.5", "--no-cache")
    finally:
        (site / "good.py").write_text(text)
    assert code == ExitCode.BROKEN
    assert "takes longer than it may (idle)" in out


def test_an_image_without_modules_is_nothing_checked(run: Run, engine: LocalEngine, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "empty")], check=True)
    engine.python = str(tmp_path / "empty" / "bin" / "python")
    code, _, err = run()
    assert code == ExitCode.NOTHING_CHECKED
    assert "--python" in err


def test_a_report_tells_what_is_worth_knowing(engine: LocalEngine, tmp_path: Path) -> None:
    contract = Contract.model_validate({"imgcheck": 1, "imports": True})
    collector = Collector(engine=engine, cache=FactsCache(folder=tmp_path))
    subject = Subject(image=an_image(), runner=engine)
    report = judge_subject(subject, contract, (), collector, RunOptions(), QuietProgress())
    assert [(one.subject, one.detail) for one in report.remarks if one.kind is RemarkKind.ENVIRONMENT] == [
        ("bad.writes", "NEW_NAME")
    ]
    assert "changed the environment\n    bad.writes  NEW_NAME" in render_text(report)

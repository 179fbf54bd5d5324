from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from imgcheck.collector.script_runs import run_scripts
from imgcheck.facts.script_runs import ScriptRun

SCRIPTS = {
    "answer": ("print('usage')", "answer", "--help", 0),
    "version": ("import sys; sys.exit(sys.argv[1] != '--version')", "answer", "--version", 0),
    "traceback": ("raise TypeError('no')", "traceback", "--help", 1),
    "other": ("exit(3)", "other", "--version", 3),
    "signal": ("import os; os.abort()", "signal", "--help", -6),
    "timeout": ("import os, time; os.fork(); time.sleep(60)", "timeout", "--help", None),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_became_of_a_script(tmp_path: Path, name: str) -> None:
    code, outcome, option, status = SCRIPTS[name]
    path = tmp_path / name
    path.write_text(f"#!{sys.executable}\n{code}\n")
    path.chmod(0o755)
    found: list[dict[str, Any]] = []
    run_scripts([(name, str(path))], {"within": 3, "jobs": 2, "scratch": str(tmp_path)}, found.append)
    (told,) = [ScriptRun.model_validate(one) for one in found]
    assert (told.outcome, told.option, told.status) == (outcome, option, status)


def test_a_script_that_cannot_be_started(tmp_path: Path) -> None:
    found: list[dict[str, Any]] = []
    run_scripts([("gone", "/nowhere/gone")], {"within": 3, "jobs": 1, "scratch": str(tmp_path)}, found.append)
    assert found[0]["outcome"] == "unstarted"

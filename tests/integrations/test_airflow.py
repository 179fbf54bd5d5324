"""The Airflow recipe in a real Airflow, which is installed for it: only what a retry can mend is tried again."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.large

RECIPE = Path(__file__).parents[2] / "recipes" / "airflow"
ASK = """
import sys
from types import SimpleNamespace
sys.path.insert(0, {recipe!r})
from airflow.exceptions import AirflowException, AirflowFailException
from imgcheck_gate import ImgcheckGate
gate = ImgcheckGate(task_id="gate", image="i:1", contract="c.yaml", command=["sh", "-c", "exit {code}", "imgcheck"])
try:
    print("passed", gate.execute({{}}))
except AirflowFailException as error:
    print("failed for good:", error)
except AirflowException as error:
    print("to be tried again:", error)
"""
PARSE = "import sys; sys.path.insert(0, {recipe!r}); import dag; print(sorted(dag.gate.downstream_task_ids))"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Python with Airflow: the one that IMGCHECK_AIRFLOW_PYTHON names, or one made here."""
    home = tmp_path_factory.mktemp("airflow")
    python = os.environ.get("IMGCHECK_AIRFLOW_PYTHON", "")
    if not python:
        subprocess.run([sys.executable, "-m", "venv", str(home / "venv")], check=True)
        python = str(home / "venv" / "bin" / "python")
        subprocess.run([python, "-m", "pip", "install", "-q", "apache-airflow"], check=True)

    def ask(code: str) -> str:
        done = subprocess.run(
            [python, "-W", "ignore", "-c", code],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "AIRFLOW_HOME": str(home), "PYTHONPATH": ""},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip().splitlines()[-1]

    return ask


@pytest.mark.parametrize(
    ("code", "words"),
    [
        pytest.param(0, "passed i:1", id="kept"),
        pytest.param(1, "failed for good", id="broken"),
        pytest.param(4, "failed for good", id="could-not-run"),
        pytest.param(75, "to be tried again", id="out-of-reach"),
    ],
)
def test_only_what_a_retry_can_mend_is_tried_again(code: int, words: str, asked: Callable[[str], str]) -> None:
    assert asked(ASK.format(recipe=str(RECIPE), code=code)).startswith(words)


def test_training_waits_for_the_gate(asked: Callable[[str], str]) -> None:
    assert asked(PARSE.format(recipe=str(RECIPE))) == "['train']"

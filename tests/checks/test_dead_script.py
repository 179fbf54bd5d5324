from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.dead_script import CHECK, judge
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract
from tests.checks.build_surroundings import a_script, surrounded


def judged(**known: Any) -> Judgement:
    return judge(a_contract(), surrounded(**known))


def test_scripts_whose_interpreter_is_there_are_kept() -> None:
    assert CHECK.applies(a_contract())
    judgement = judged(scripts=(a_script("/opt/venv/bin/uvicorn"),), command=a_script("/opt/venv/bin/uvicorn"))
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "scripts", ())


def test_j01_a_virtual_environment_moved_between_stages() -> None:
    scripts = [a_script(f"/opt_venv/bin/{name}", "/b/bin/python3", "interpreter-absent") for name in ("pip", "uvicorn")]
    (fault,) = judged(scripts=tuple(scripts)).faults
    assert fault.subject == "pip"
    assert fault.details == ("uvicorn",)
    assert fault.summary == (
        "/opt_venv/bin/pip and 1 more cannot be started: its interpreter /b/bin/python3 is not in the image"
    )
    assert "a virtual environment cannot be moved" in fault.remedy


def test_j08_an_interpreter_that_is_a_link_into_the_builders_home() -> None:
    link = "/home/builder/.local/share/uv/python/bin/python3.11"
    scripts = (
        a_script("/opt_venv/bin/python", "", "dangling", link),
        a_script("/opt_venv/bin/uvicorn", "/opt_venv/bin/python", "interpreter-absent", link),
    )
    first, second = judged(scripts=scripts).faults
    assert first.summary == f"/opt_venv/bin/python is a link to {link}, which is not in the image"
    assert "UV_PYTHON_INSTALL_DIR" in first.remedy
    assert second.summary.endswith(f"(it is a link to {link})")


@pytest.mark.parametrize(
    ("state", "words"),
    [
        pytest.param("absent", "is not in the image, or not on its PATH", id="absent"),
        pytest.param("not-executable", "may not be executed by this user", id="mode"),
        pytest.param("carriage-return", "has a carriage return", id="CRLF"),
        pytest.param("interpreter-not-executable", "this user may not execute its interpreter", id="interpreter"),
    ],
)
def test_what_the_image_starts_with_is_looked_at(state: str, words: str) -> None:
    (fault,) = judged(command=a_script("/entrypoint.sh", "/bin/bash", state)).faults
    assert fault.subject == "entrypoint.sh"
    assert words in fault.summary

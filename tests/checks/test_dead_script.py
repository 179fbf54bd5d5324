from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.dead_script import CHECK, judge
from imgcheck.facts.script_runs import ScriptRun, ScriptRuns
from imgcheck.outcome import Judgement
from tests.checks.build_facts import SITE, a_contract, dist, script
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
        a_script("/opt_venv/bin/python", "/opt_venv/bin/python3", "dangling", link),
        a_script("/opt_venv/bin/python3", "/opt_venv/bin/python3", "dangling", link),
        a_script("/opt_venv/bin/uvicorn", "/opt_venv/bin/python", "interpreter-absent", link),
    )
    first, second = judged(scripts=scripts).faults
    assert first.summary == f"/opt_venv/bin/python3 and 1 more are links to {link}, which is not in the image"
    assert "UV_PYTHON_INSTALL_DIR" in first.remedy
    assert not first.note
    assert second.summary.endswith(f"(it is a link to {link})")


def test_a_link_to_another_program_that_is_not_there_is_a_note() -> None:
    link = a_script("/usr/local/bin/nvidia-smi", "/opt/smi", "dangling", "/usr/lib/nvidia/bin/nvidia-smi")
    (fault,) = judged(scripts=(link,)).faults
    assert fault.note
    assert "where the cluster mounts it" in fault.remedy
    assert " is a link to /usr/lib/nvidia/bin/nvidia-smi by /opt/smi, which is not" in fault.summary
    (fault,) = judged(scripts=(link,), command=link).faults
    assert not fault.note


@pytest.mark.parametrize(
    ("state", "words"),
    [
        pytest.param("absent", "is not in the image, or not on its PATH", id="absent"),
        pytest.param("not-executable", "may not be executed by this user", id="mode"),
        pytest.param("carriage-return", "has a carriage return", id="CRLF"),
        pytest.param("interpreter-not-executable", "this user may not execute its interpreter", id="interpreter"),
        pytest.param("loader-absent", "/bin/bash needs the loader", id="another C library"),
        pytest.param("other-machine", "/bin/bash is a program for", id="another machine"),
        pytest.param("unknown-format", "no first line that names its interpreter", id="neither script nor program"),
    ],
)
def test_what_the_image_starts_with_is_looked_at(state: str, words: str) -> None:
    (fault,) = judged(command=a_script("/entrypoint.sh", "/bin/bash", state)).faults
    assert fault.subject == "entrypoint.sh"
    assert words in fault.summary


def run(name: str, outcome: str, output: str = "", status: int | None = 1) -> ScriptRun:
    told = {"name": name, "path": f"/opt/venv/bin/{name}", "option": "--help", "outcome": outcome}
    return ScriptRun.model_validate({**told, "output": output, "status": status})


def asked(*runs: ScriptRun) -> Judgement:
    facts = surrounded().model_copy(update={"script_runs": ScriptRuns(runs=runs)})
    return judge(a_contract(scripts=True), facts)


def test_scripts_that_answer_are_kept() -> None:
    assert not asked(run("ray", "answer", "usage", 0)).faults


def test_a_script_that_ends_with_a_traceback() -> None:
    (fault,) = asked(run("mlflow", "traceback", "Traceback …\nImportError: cannot import name 'x' from 'y'\n")).faults
    assert fault.subject == "mlflow"
    assert fault.summary == "mlflow --help ends with ImportError: cannot import name 'x' from 'y'"
    assert not fault.note


def test_a_script_without_its_extra_is_a_note() -> None:
    (fault,) = asked(run("httpx", "traceback", "Traceback …\nModuleNotFoundError: No module named 'click'")).faults
    assert fault.note


def test_a_script_that_a_signal_ends() -> None:
    (fault,) = asked(run("serve", "signal", "", -11)).faults
    assert "was ended by SIGSEGV" in fault.summary


def test_a_script_that_cannot_be_started() -> None:
    (fault,) = asked(run("serve", "unstarted", "[Errno 8] Exec format error", None)).faults
    assert fault.summary == "serve --help cannot be started: [Errno 8] Exec format error"


def test_scripts_that_do_other_things_are_listed() -> None:
    (fault,) = asked(run("a", "other", "", 2), run("b", "timeout", "", None)).faults
    assert fault.note
    assert fault.details == ("a", "b")
    assert fault.evidence == "a: status 2\nb: no end in time"


SAID = """Traceback (most recent call last):
  File "/opt/venv/bin/blackd", line 5, in <module>
    from blackd import patched_main
  File "{site}/blackd/__init__.py", line 15, in <module>
    raise ImportError(
ImportError: aiohttp dependency is not installed
"""
BEFORE = "Traceback (most recent call last):\n{}\n\nThe above exception was the direct cause of the following one:\n\n"


@pytest.mark.parametrize(
    ("output", "owner", "note"),
    [
        pytest.param(SAID, "black", True, id="its-own-words"),
        pytest.param(
            BEFORE.format("ModuleNotFoundError: No module named 'aiohttp'") + SAID, "black", True, id="an-extra"
        ),
        pytest.param(BEFORE.format("ImportError: cannot import name 'x'") + SAID, "black", False, id="a-fault-behind"),
        pytest.param(SAID.replace("{site}", "/opt/a-link/site-packages"), "black", True, id="by-a-link"),
        pytest.param(SAID, "another", False, id="anothers-words"),
        pytest.param(SAID.replace("raise ImportError(", "web.run()"), "black", False, id="no-words"),
    ],
)
def test_what_a_program_says_itself_is_a_note(output: str, owner: str, *, note: bool) -> None:
    """As black's blackd without its extra d."""
    black = dist("black 25", entry_points=[script("blackd", "blackd:main")], modules=["blackd"] * (owner == "black"))
    other = dist("another 1", modules=["blackd"] * (owner != "black"))
    told = ScriptRuns(runs=(run("blackd", "traceback", output.format(site=SITE)),))
    facts = surrounded(black, other).model_copy(update={"script_runs": told})
    (fault,) = judge(a_contract(scripts=True), facts).faults
    assert fault.summary == "blackd --help ends with ImportError: aiohttp dependency is not installed"
    assert fault.note == note


def test_what_was_asked_for_and_not_run_is_not_verified() -> None:
    (fault,) = judge(a_contract(scripts=True), surrounded()).faults
    assert fault.unverified

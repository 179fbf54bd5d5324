from __future__ import annotations

from typing import Any

from imgcheck.checks.unwritable_path import CHECK, judge
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract, python
from tests.checks.build_surroundings import path, surrounded

TMP = path("/tmp", "folder", writable=True)
ML = python(uid=1000)


def judged(*paths: Any, env: dict[str, str] | None = None, **promises: Any) -> Judgement:
    return judge(a_contract(**promises), surrounded(env=env, interpreter=ML, paths=paths))


def test_a_temporary_folder_is_always_asked_for() -> None:
    assert CHECK.applies(a_contract())
    judgement = judged(TMP)
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "paths", ())
    (fault,) = judged(path("/tmp", "folder"), path("/var/tmp")).faults
    assert "no program can make a temporary file" in fault.summary
    assert not judged(path("/tmp", "folder"), env={"TMPDIR": "/scratch"}).faults


def test_a_folder_that_the_contract_names() -> None:
    assert not judged(TMP, path("/out", "folder", writable=True), image={"writable": ["/out"]}).faults
    assert not judged(TMP, path("/out/x", nearest="/out", nearest_writable=True), image={"writable": ["/out/x"]}).faults
    (fault,) = judged(TMP, path("/out", "folder"), image={"writable": ["/out"]}).faults
    assert fault.summary == "uid 1000 cannot write to /out: it is not writable"
    assert "install -d -o 1000 /out" in fault.remedy


def test_a_cache_that_a_variable_names() -> None:
    (fault,) = judged(TMP, path("/cache/hf", nearest="/cache"), env={"HF_HOME": "/cache/hf"}).faults
    assert fault.subject == "HF_HOME"
    assert fault.summary == (
        "uid 1000 cannot write to /cache/hf, which HF_HOME names: it is not there, and /cache is not writable"
    )
    assert "huggingface.co" in fault.remedy

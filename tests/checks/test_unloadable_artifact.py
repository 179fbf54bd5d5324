from __future__ import annotations

import pytest

from imgcheck.checks.unloadable_artifact import CHECK, judge
from imgcheck.diagnosis.run_lines import artifacts_of, loader_of, runs_of
from tests.checks.build_facts import a_contract, dist
from tests.checks.build_runs import having_run, ran

CONTRACT = a_contract(artifacts=["/models/m.pkl"])


def test_it_is_asked_for_by_artifacts() -> None:
    assert not CHECK.applies(a_contract())
    assert CHECK.applies(CONTRACT)
    (run,) = runs_of(CONTRACT)
    assert run.run
    assert run.run[-1] == "/models/m.pkl"
    assert "pickle.load" in run.run[-2]


@pytest.mark.parametrize(
    ("ending", "loader"),
    [(".pkl", "pickle"), (".joblib", "joblib"), (".PT", "torch"), (".safetensors", "safetensors"), (".onnx", "onnx")],
)
def test_endings_tell_what_loads(ending: str, loader: str) -> None:
    (artifact,) = artifacts_of(a_contract(artifacts=[f"/m{ending}"]))
    assert loader_of(artifact) == loader


def test_what_loads_is_kept() -> None:
    judgement = judge(CONTRACT, having_run(ran("artifact-0")))
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "artefacts", ())


def test_g06_what_does_not_load_is_told_with_its_last_words() -> None:
    output = "Traceback\nValueError: node array from the pickle has an incompatible dtype:\n"
    (fault,) = judge(CONTRACT, having_run(ran("artifact-0", exit_code=1, output=output))).faults
    assert fault.subject == "/models/m.pkl"
    assert fault.summary == (
        "/models/m.pkl does not load with pickle: ValueError: node array from the pickle has an incompatible dtype:"
    )


def test_g06_whose_version_it_is_the_traceback_tells() -> None:
    output = (
        'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n'
        '  File "sklearn/tree/_tree.pyx", line 1434, in sklearn.tree._tree._check_node_ndarray\n'
        "ValueError: node array from the pickle has an incompatible dtype:\n- expected: {}\n- got     : []\n"
    )
    sklearn = dist("scikit-learn 1.3.2", modules=["sklearn", "sklearn.tree", "sklearn.tree._tree"])
    (fault,) = judge(CONTRACT, having_run(ran("artifact-0", exit_code=1, output=output), of=(sklearn,))).faults
    assert fault.summary.endswith("pickle: ValueError: node array from the pickle has an incompatible dtype:")
    assert "made with of scikit-learn 1.3.2" in fault.remedy
    output = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'sklearn'\n"
    (fault,) = judge(CONTRACT, having_run(ran("artifact-0", exit_code=1, output=output))).faults
    assert fault.remedy.startswith("Install scikit-learn, which it looks for")


def test_a_warning_of_versions_is_a_note() -> None:
    output = "/site/sklearn/base.py:348: InconsistentVersionWarning: Trying to unpickle estimator from version 1.2.2\n"
    (fault,) = judge(CONTRACT, having_run(ran("artifact-0", output=output))).faults
    assert fault.note
    assert "InconsistentVersionWarning: Trying to unpickle" in fault.summary


def test_an_ending_that_says_nothing_is_not_verified() -> None:
    (fault,) = judge(a_contract(artifacts=["/m.bin"]), having_run()).faults
    assert fault.unverified
    assert not judge(
        a_contract(artifacts=[{"path": "/m.bin", "loader": "joblib"}]), having_run(ran("artifact-0"))
    ).faults

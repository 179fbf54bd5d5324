from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from imgcheck.checks.model_environment import CHECK, judge
from imgcheck.contract.loader import load_contract
from imgcheck.facts.surroundings import TextFacts
from imgcheck.model_reading import read_model_files
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract, dist
from tests.checks.build_surroundings import surrounded

SKLEARN = dist("scikit-learn 1.3.2")
PYTHON_ENV = "python: 3.11.4\nbuild_dependencies: [pip==23]\ndependencies: [-r requirements.txt]\n"
CONDA = (
    "dependencies:\n- python=3.9.18\n- pip<=23\n- pip: [scikit-learn==1.3.2, 'pywin32; sys_platform == \"win32\"']\n"
)
PICKLED = "flavors: {sklearn: {pickled_model: model.pkl, serialization_format: cloudpickle}}\n"
ONNX = "flavors: {onnx: {data: model.onnx}}\n"


def judged(**files: str) -> Judgement:
    """Files by name, "__" for the dot."""
    told = {name.replace("__", "."): text for name, text in files.items()}
    found = surrounded(SKLEARN).model_copy(update={"model_files": {"model": told}})
    return judge(a_contract(models=["model"]), found)


def test_it_is_asked_for_by_models() -> None:
    assert not CHECK.applies(a_contract())
    assert CHECK.applies(a_contract(models=["model"]))


def test_a_model_that_fits_is_kept() -> None:
    judgement = judged(
        python_env__yaml=PYTHON_ENV, requirements__txt="# made by a tool\nscikit-learn==1.3.2  # pinned\n"
    )
    assert (judgement.examined, judgement.unit, judgement.faults) == (2, "recorded requirements", ())


@pytest.mark.parametrize(("mlmodel", "note"), [("", False), (PICKLED, False), (ONNX, True)])
def test_another_minor_python_is_broken_unless_nothing_is_pickled(mlmodel: str, note: bool) -> None:
    (fault,) = judged(conda__yaml=CONDA, **({"MLmodel": mlmodel} if mlmodel else {})).faults
    assert fault.subject == "model: python"
    assert fault.summary.startswith("The model model was logged under Python 3.9.18, and the image runs 3.11.7")
    assert fault.note is note


def test_another_version_and_a_missing_one_are_told() -> None:
    other, gone = judged(requirements__txt="scikit-learn==1.2.2\nmlflow==2.9.2\n").faults
    assert other.summary == "The model model needs scikit-learn==1.2.2, and scikit-learn 1.3.2 is installed"
    assert gone.summary == "The model model needs mlflow==2.9.2, and it is not installed"


def test_a_line_that_is_no_requirement_is_not_verified() -> None:
    (fault,) = judged(requirements__txt="scikit-learn\n???\n").faults
    assert fault.unverified


@pytest.mark.parametrize("files", [{}, {"python_env__yaml": "{"}, {"MLmodel": "[1, 2]"}])
def test_a_model_that_records_nothing_is_told(files: dict[str, Any]) -> None:
    assert len(judged(**files).faults) == 1


def test_a_model_inside_the_image() -> None:
    texts = (TextFacts(path="/models/m/python_env.yaml", text="python: 3.8.1\n", whole=True),)
    (fault,) = judge(a_contract(models=["/models/m"]), surrounded(texts=texts)).faults
    assert "logged under Python 3.8.1" in fault.summary
    lone = (TextFacts(path="/m/requirements.txt", text="mlflow\n", whole=True),)
    (fault,) = judge(a_contract(models=["/m/requirements.txt"]), surrounded(texts=lone)).faults
    assert "needs mlflow" in fault.summary


def test_files_beside_the_contract_are_read(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "python_env.yaml").write_text(PYTHON_ENV)
    (tmp_path / "c.yaml").write_text("imgcheck: 1\nmodels: [model, model/python_env.yaml, gone, /in/the/image]\n")
    found = read_model_files(load_contract(tmp_path / "c.yaml"))
    assert found == {name: {"python_env.yaml": PYTHON_ENV} for name in ("model", "model/python_env.yaml")}

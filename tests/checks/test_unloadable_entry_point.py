from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.unloadable_entry_point import CHECK, judge
from imgcheck.facts.model import Distribution
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract, at, dist, module, raises
from tests.checks.build_surroundings import entry, surrounded

MLFLOW = dist("mlflow 2.9.2", modules=["mlflow.cli"])


def judged(*distributions: Distribution, **known: Any) -> Judgement:
    return judge(a_contract(), surrounded(*distributions, **known))


def test_modules_and_attributes_that_are_there_are_kept() -> None:
    assert CHECK.applies(a_contract())
    judgement = judged(MLFLOW, entry_points=(entry(MLFLOW, "mlflow = mlflow.cli:cli"),))
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "entry points", ())


def test_b02_a_module_that_nothing_has() -> None:
    atomworks = dist("atomworks 2.0.0")
    point = entry(atomworks, "atomworks = atomworks_cli.__main__:main", found="")
    (fault,) = judged(atomworks, entry_points=(point,)).faults
    assert fault.subject == "atomworks"
    assert fault.summary == (
        "The command atomworks of atomworks 2.0.0 names the module atomworks_cli.__main__, which nothing in the image "
        "has"
    )


def test_an_attribute_that_the_module_does_not_define() -> None:
    point = entry(MLFLOW, "basic-auth = mlflow.server.auth:create_app", "mlflow.app", binds=False)
    (fault,) = judged(MLFLOW, entry_points=(point,)).faults
    assert fault.summary.startswith(
        "The entry point basic-auth (mlflow.app) of mlflow 2.9.2 names create_app in mlflow.server.auth, and /"
    )


def test_what_was_swept_and_failed_or_was_not_swept_is_not_kept() -> None:
    points = tuple(entry(MLFLOW, f"{name} = {name}:f") for name in ("mlflow.ok", "mlflow.bad", "mlflow.left_out"))
    modules = (module("mlflow.ok", "mlflow"), module("mlflow.bad", "mlflow", raises("TypeError: no")))
    judgement = judged(MLFLOW, entry_points=points, modules=modules)
    assert (judgement.examined, judgement.faults) == (1, ())
    assert judgement.passed_over == (
        ("name a module that cannot be imported, which unimportable-module tells", 1),
        ("name a module that was not imported", 1),
    )


def test_a01_a_command_that_needs_what_nobody_declares() -> None:
    error = raises("ModuleNotFoundError: No module named 'six'", at("tensorboard/_vendor/html5lib.py"), name="six")
    tensorboard = dist("tensorboard 2.8.0", modules=["tensorboard", "tensorboard.main"])
    point = entry(tensorboard, "tensorboard = tensorboard.main:run_main")
    modules = (module("tensorboard", "tensorboard"), module("tensorboard.main", "tensorboard", error))
    (fault,) = judged(tensorboard, entry_points=(point,), modules=modules).faults
    cannot = "The command tensorboard of tensorboard 2.8.0 cannot start: "
    assert fault.summary == f"{cannot}tensorboard.main needs six, which nothing installed provides or requires"
    assert fault.remedy.startswith("Install the distribution that has six.")


def test_one_of_several_commands_that_cannot_start_is_a_note() -> None:
    error = raises("ModuleNotFoundError: No module named 'jupyterhub'", at("jupyterlab/hub.py"), name="jupyterhub")
    lab = dist("jupyterlab 4.6.6", modules=["jupyterlab", "jupyterlab.hub"])
    points = (entry(lab, "jupyter-labhub = jupyterlab.hub:main"), entry(lab, "jupyter-lab = jupyterlab:main"))
    modules = (module("jupyterlab", "jupyterlab"), module("jupyterlab.hub", "jupyterlab", error))
    (fault,) = judged(lab, entry_points=points, modules=modules).faults
    assert fault.note


@pytest.mark.parametrize(
    ("declared", "value", "group"),
    [
        pytest.param(("boto3 ; extra == 'gateway'",), "mlflow.cli:cli", "console_scripts", id="an extra brings it"),
        pytest.param((), "mlflow.cli:cli [gateway]", "console_scripts", id="the command is an extra's"),
        pytest.param((), "mlflow.cli:cli", "mlflow.app", id="a plugin"),
    ],
)
def test_optional_parts_are_counted(declared: tuple[str, ...], value: str, group: str) -> None:
    error = raises("ModuleNotFoundError: No module named 'boto3'", at("mlflow/cli.py"), name="boto3")
    mlflow = dist("mlflow 2.9.2", *declared, modules=["mlflow", "mlflow.cli"])
    modules = (module("mlflow", "mlflow"), module("mlflow.cli", "mlflow", error))
    assert not judged(mlflow, entry_points=(entry(mlflow, f"mlflow = {value}", group),), modules=modules).faults


def test_an_attribute_that_only_running_tells_is_not_kept() -> None:
    judgement = judged(MLFLOW, entry_points=(entry(MLFLOW, "a = mlflow.cli:lazy", binds=None),))
    assert (judgement.examined, judgement.faults) == (0, ())
    assert judgement.passed_over == (("name an attribute that its module makes as it runs", 1),)


def test_a_module_that_only_a_finder_leads_to_is_there() -> None:
    editable = dist("lib 1", modules=["lib"], direct_url='{"url": "file:///src", "dir_info": {"editable": true}}')
    assert not judged(editable, entry_points=(entry(editable, "lib = lib:main", found=""),)).faults
    assert not judged(editable, entry_points=(entry(editable, "lib = lib.made:main", found=""),)).faults


def test_a_hidden_distributions_entry_points_are_not_judged() -> None:
    hidden = dist(
        "mlflow 1.0", location="/usr/lib/python3/dist-packages", metadata_path="/usr/lib/mlflow-1.0.dist-info"
    )
    judgement = judged(MLFLOW, hidden, entry_points=(entry(hidden, "mlflow = mlflow.gone:cli", found=""),))
    assert not judgement.faults

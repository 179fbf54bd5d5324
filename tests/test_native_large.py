"""A whole CUDA environment, several gigabytes: no false alarm, and dlopen as the judge of every answer.

`IMGCHECK_LARGE_PYTHON` names the interpreter of an environment that is there; else torch is installed into a new one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter

import pytest

from imgcheck.checks import CHECKS, Needs, swallowed_load
from imgcheck.contract.model import Imports
from imgcheck.diagnosis.compiled import questions_of
from imgcheck.diagnosis.loading import Loading, Standing, loadings_of
from imgcheck.diagnosis.swallowing import unloaded_by_module
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from imgcheck.facts.model import Facts
from tests.checks.build_facts import a_contract
from tests.local_engine import LocalEngine, an_image

pytestmark = pytest.mark.large
REQUIREMENTS = ("torch==2.14.1",)
FLEET = a_contract(native=True, gpu={"capabilities": ["8.0", "9.0", "12.0"], "driver": "580.65"})
SECONDS = 120
own_environment = pytest.mark.skipif(
    bool(os.environ.get("IMGCHECK_LARGE_PYTHON")), reason="an environment of one's own may be broken"
)
# Each file in a fork of a process that has torch, as its own package would load it after torch.
LOAD = """
import ctypes, json, os, sys
try:
    import torch
except ImportError:
    pass
answers = {}
for path in json.load(sys.stdin):
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            ctypes.CDLL(path, os.RTLD_NOW)
        except OSError as error:
            os._exit(2 if "static TLS" in str(error) else 1)
        os._exit(0)
    answers[path] = ("loads", "fails", "is for LD_PRELOAD")[os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])]
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    there = os.environ.get("IMGCHECK_LARGE_PYTHON")
    if there:
        return there
    folder = tmp_path_factory.mktemp("large") / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    subprocess.run([str(folder / "bin/pip"), "install", "-q", *REQUIREMENTS], check=True)
    return str(folder / "bin/python")


@pytest.fixture(scope="module")
def collector(python: str, tmp_path_factory: pytest.TempPathFactory) -> Collector:
    return Collector(engine=LocalEngine(python), cache=FactsCache(folder=tmp_path_factory.mktemp("facts")))


@pytest.fixture(scope="module")
def facts(collector: Collector) -> Facts:
    image = an_image()
    inventory = collector.inventory(image)
    return Facts(
        image=image,
        inventory=inventory,
        native=collector.native(image, ()),
        questions=collector.questions(image, questions_of(FLEET, inventory), SECONDS),
    )


def test_a_broken_file_really_fails_and_a_whole_one_really_loads(python: str, facts: Facts) -> None:
    judged = [one for one in loadings_of(facts).all if not one.file.program]
    paths = json.dumps([one.file.path for one in judged])
    done = subprocess.run([python, "-c", LOAD], input=paths, capture_output=True, text=True, check=True)
    loads = json.loads(done.stdout)
    table = Counter((_told(one), loads[one.file.path]) for one in judged)
    for (told, did), count in sorted(table.items()):
        sys.stdout.write(f"{count:5} {told}, and it {did}\n")
    wrong = [one.file.path for one in judged if _told(one) == "broken" and loads[one.file.path] == "loads"]
    missed = [one.file.path for one in judged if one.standing is Standing.LOADS and loads[one.file.path] == "fails"]
    assert (wrong, missed) == ([], [])


@own_environment
def test_torch_s_own_environment_has_no_finding(facts: Facts) -> None:
    asked = [check for check in CHECKS if check.needs is Needs.NATIVE and check.applies(FLEET)]
    assert len(asked) > 5
    for check in asked:
        judgement = check.judge(FLEET, facts)
        assert judgement.examined, check.name
        assert [fault.summary for fault in judgement.faults if not fault.note] == []


@own_environment
def test_torch_s_own_import_swallows_no_load(collector: Collector, facts: Facts) -> None:
    imports = collector.imports(an_image(), Imports(timeout=SECONDS), only=("torch",))
    assert [one.status for one in imports.modules] == ["ok"]
    loads = collector.loads(an_image(), unloaded_by_module(imports), SECONDS)
    judgement = swallowed_load.judge(
        a_contract(imports=True), facts.model_copy(update={"imports": imports, "loads": loads})
    )
    assert (judgement.examined, judgement.faults) == (1, ())


def _told(one: Loading) -> str:
    if one.standing is not Standing.LACKS:
        return str(one.standing.value)
    return "optional" if one.optional else "broken"

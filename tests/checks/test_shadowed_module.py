from __future__ import annotations

from typing import Any

from imgcheck.checks.shadowed_module import CHECK, judge
from imgcheck.facts.model import Distribution
from imgcheck.outcome import Judgement
from tests.checks.build_facts import SITE, a_contract, dist
from tests.checks.build_surroundings import shadow, surrounded

APP = (("/workspace/app", "entry script"),)


def judged(*distributions: Distribution, **known: Any) -> Judgement:
    return judge(a_contract(), surrounded(*distributions, fronts=APP, **known))


def test_front_folders_that_hide_nothing_are_kept() -> None:
    assert CHECK.applies(a_contract())
    judgement = judged()
    assert (judgement.examined, judgement.faults) == (1, ())


def test_k01_a_random_py_beside_the_script() -> None:
    (fault,) = judged(shadows=(shadow("random", "/workspace/app/random.py"),)).faults
    assert fault.subject == "random"
    assert fault.summary == (
        "/workspace/app/random.py hides the module random of Python's own library: the folder of the script that is "
        "run comes first on sys.path"
    )
    assert fault.remedy.startswith("Rename /workspace/app/random.py, or run from another folder than /workspace/app.")


def test_k02_a_google_package_hides_a_namespace_and_all_below() -> None:
    protobuf = dist("protobuf 5.28.3", modules=["google.protobuf"])
    hides = shadow("google", "/workspace/app/google/__init__.py", hidden=f"{SITE}/google", namespace=True)
    (fault,) = judged(protobuf, shadows=(hides,)).faults
    assert "hides the module google of protobuf 5.28.3" in fault.summary
    assert fault.remedy.startswith("Rename /workspace/app/google, ")
    assert "all below" in fault.remedy


def test_pythonpath_and_the_working_folder_have_their_words() -> None:
    torch = dist("torch 2.4.0", modules=["torch"])
    (fault,) = judged(torch, shadows=(shadow("torch", "/workspace/torch/__init__.py", "PYTHONPATH"),)).faults
    assert "folders of PYTHONPATH come before" in fault.summary
    (fault,) = judged(torch, shadows=(shadow("torch", "/workspace/torch/__init__.py", "working folder"),)).faults
    assert "`python -m` and `python -c`" in fault.summary


def test_the_same_content_and_names_of_anybodys_are_counted() -> None:
    same = shadow("lib", "/workspace/app/lib/__init__.py", same=True)
    judgement = judged(shadows=(same, shadow("tests", "/workspace/app/tests/__init__.py")))
    assert not judgement.faults
    assert [count for _, count in judgement.passed_over] == [1, 1]

from __future__ import annotations

from typing import Any

from imgcheck.checks.unowned_package import CHECK, judge
from imgcheck.facts.model import Distribution
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract, dist
from tests.checks.build_files import file_facts, unowned

NUMPY = dist("numpy 1.26.4", modules=["numpy"])


def judged(*distributions: Distribution, **of_files: Any) -> Judgement:
    return judge(a_contract(), file_facts(*distributions, **of_files))


def test_files_with_an_owner_each_are_kept() -> None:
    assert CHECK.applies(a_contract())
    judgement = judged(NUMPY)
    assert (judgement.examined, judgement.unit, judgement.faults) == (10, "files", ())


def test_a_package_without_metadata_is_told() -> None:
    (fault,) = judged(NUMPY, unowned=(unowned("torch", "torch/__init__.py", "torch/nn.py"),)).faults
    assert fault.subject == "torch"
    assert "belongs to no distribution" in fault.summary
    assert "none of its modules is verified" in fault.summary
    assert not fault.note


def test_strays_inside_a_package_are_a_note() -> None:
    (fault,) = judged(NUMPY, unowned=(unowned("numpy", "numpy/old.py", inside=True),)).faults
    assert fault.note
    assert fault.summary == "1 file inside numpy is on no distribution's list, such as numpy/old.py"


def test_what_a_known_tool_puts_there_is_counted() -> None:
    judgement = judged(NUMPY, unowned=(unowned("_virtualenv.py", "_virtualenv.py"),))
    assert not judgement.faults
    assert judgement.passed_over == (("put there by a known tool without a list", 1),)


def test_own_code_beside_what_pip_installed_to_a_target_is_counted() -> None:
    judgement = judged(NUMPY, unowned=(unowned("train.py", "train.py", root="/workspace/lib"),))
    assert not judgement.faults
    assert judgement.passed_over == (("lie in a folder of your own beside what was installed there", 1),)


def test_where_rpm_keeps_the_lists_nothing_is_said_of_the_systems_folder() -> None:
    system = unowned("dnf", "dnf/__init__.py", root="/usr/lib/python3.11/site-packages")
    judgement = judged(NUMPY, unlisted="rpm", unowned=(system, unowned("mine", "mine.py")))
    assert [fault.subject for fault in judgement.faults] == ["mine"]
    assert judgement.passed_over == (("belong to rpm packages, whose lists are not read", 1),)

from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.foreign_wheel import CHECK, judge
from imgcheck.facts.model import Distribution, InterpreterFacts
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract, dist, python
from tests.checks.build_files import AARCH64, file_facts, foreign

MUSL = python(extension_suffixes=(".cpython-311-x86_64-linux-musl.so", ".abi3.so", ".so"))


def judged(*distributions: Distribution, **of_files: Any) -> Judgement:
    return judge(a_contract(), file_facts(*distributions, **of_files))


def wheel(*tags: str, **more: Any) -> Distribution:
    return dist("numpy 1.26.4", wheel_tags=tags, **more)


@pytest.mark.parametrize(
    "tags",
    [
        pytest.param(("cp311-cp311-manylinux_2_17_x86_64", "cp311-cp311-manylinux2014_x86_64"), id="this very Python"),
        pytest.param(("py3-none-any",), id="any Python"),
        pytest.param(("py2.py3-none-any",), id="old and new"),
        pytest.param(("cp38-abi3-manylinux1_x86_64",), id="stable ABI"),
        pytest.param(("py3-none-linux_x86_64",), id="a program"),
        pytest.param(("cp311-none-any",), id="bound to a version"),
        pytest.param((), id="no WHEEL file"),
        pytest.param(("garbled",), id="a tag that is none"),
    ],
)
def test_fitting_tags_are_kept(tags: tuple[str, ...]) -> None:
    judgement = judged(wheel(*tags))
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "distributions", ())
    assert CHECK.applies(a_contract())


@pytest.mark.parametrize(
    ("tag", "interpreter"),
    [
        pytest.param("cp310-cp310-manylinux_2_17_x86_64", python(), id="another Python"),
        pytest.param("cp312-abi3-manylinux_2_17_x86_64", python(), id="a later stable ABI"),
        pytest.param("cp311-cp311-manylinux_2_17_aarch64", python(), id="another machine"),
        pytest.param("cp311-cp311-macosx_11_0_arm64", python(), id="another system"),
        pytest.param("cp311-cp311-musllinux_1_2_x86_64", python(), id="another C library"),
        pytest.param("cp311-cp311-manylinux_2_17_x86_64", MUSL, id="the other C library"),
        pytest.param("cp313-cp313t-manylinux_2_28_x86_64", python("3.13.1"), id="free-threaded"),
        pytest.param("py2-none-any", python(), id="Python 2"),
    ],
)
def test_tags_for_elsewhere_are_told(tag: str, interpreter: InterpreterFacts) -> None:
    (fault,) = judged(wheel(tag), interpreter=interpreter).faults
    assert fault.subject == "numpy"
    assert f"numpy 1.26.4 is a wheel for {tag}, and the image runs Python 3.1" in fault.summary
    assert "/opt/venv/bin/python" in fault.remedy


def test_requires_python_is_held_against_the_interpreter() -> None:
    (fault,) = judged(wheel(requires_python=">=3.12")).faults
    assert "requires Python >=3.12, and the image runs 3.11.7" in fault.summary
    assert not judged(wheel(requires_python=">=3.8")).faults
    assert not judged(wheel(requires_python="any will do")).faults


def test_compiled_modules_for_another_abi_alone_are_told() -> None:
    one = wheel(modules=[("numpy.core", "extension", "other-abi")])
    path = "numpy/core.cpython-310-x86_64-linux-gnu.so"
    (fault,) = judged(one, foreign=(foreign(path, one, other_abi="cpython-310"),)).faults
    assert "has compiled modules for cpython-310 only" in fault.summary
    both = wheel(modules=[("numpy.core", "extension", "other-abi"), ("numpy.fits", "extension", "module")])
    assert not judged(both, foreign=(foreign(path, both, other_abi="cpython-310"),)).faults


def test_compiled_modules_for_another_machine_are_told_and_stowaways_are_not() -> None:
    one = wheel(modules=[("numpy.core", "extension", "module")])
    core = foreign("numpy/core.so", one, machine=AARCH64)
    (fault,) = judged(one, foreign=(core,)).faults
    assert "has compiled modules for aarch64, and the image runs on x86_64" in fault.summary
    assert not judged(one, foreign=(foreign("numpy/other_platforms/helper.so", one, machine=AARCH64),)).faults


def test_debians_one_wheel_file_for_several_pythons_says_nothing() -> None:
    one = wheel("cp312-cp312-linux_x86_64")
    assert not judged(one, packaged=((one.metadata_path, "dpkg python3-numpy"),)).faults

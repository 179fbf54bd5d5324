"""What distributions say they were compiled for and against, and what the checks make of it."""

from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks import mismatched_library, missing_architecture
from imgcheck.diagnosis.compiled import claimed_architectures, fitted_libraries, questions_of
from imgcheck.diagnosis.known_questions import ARCHITECTURES, QUESTIONS
from imgcheck.facts.model import Facts
from imgcheck.facts.questions import Answer, Asked, QuestionFacts
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract, dist, facts
from tests.checks.gpu_files import code
from tests.checks.native_files import native, natives

FLEET = a_contract(gpu={"capabilities": ["8.0"], "driver": "580.65"})
CUDNN = "/site/nvidia/cudnn/lib/libcudnn.so.9"


def told(*mapped: str, problem: str = "", **answers: Any) -> Facts:
    """Answers of torch: told(architectures=["sm_80"], compiled_libcudnn=[9, 1, 0])."""
    names = [ARCHITECTURES if one.about == ARCHITECTURES else f"{one.side}_{one.about}" for one in QUESTIONS]
    given = tuple(Answer(value=answers.get(name, []), problem=problem) for name in names)
    files = natives(native("torch/_t.so", gpu=code("sm_80 compute_90@8.5")))
    known = facts(dist("torch 2.14.1"), native=files)
    asked = QuestionFacts(asked=(Asked(module="torch", answers=given, mapped=mapped),))
    return known.model_copy(update={"questions": asked})


def mismatched(found: Facts) -> Judgement:
    return mismatched_library.judge(FLEET, found)


def test_who_is_asked_what_hangs_on_what_is_installed_and_on_a_fleet() -> None:
    torch, other = facts(dist("torch 2.14.1")).inventory, facts(dist("numpy 2")).inventory
    assert len(questions_of(FLEET, torch)["torch"]) == len(QUESTIONS)
    assert questions_of(FLEET, other) == {}
    assert questions_of(a_contract(native=True), torch) == {}


def test_a_library_that_fits_is_kept() -> None:
    found = told(CUDNN, compiled_libcudnn=[9, 1, 0], loaded_libcudnn=[9, 24, 0])
    judgement = mismatched(found)
    assert (judgement.examined, judgement.faults, judgement.passed_over) == (1, (), ())


@pytest.mark.parametrize("loaded", [[9, 15, 1], [8, 30, 0], [10, 24, 0]])
def test_an_older_minor_or_another_major_breaks(loaded: list[int]) -> None:
    (fault,) = mismatched(told(CUDNN, compiled_libcudnn=[9, 24, 0], loaded_libcudnn=loaded)).faults
    version = ".".join(map(str, loaded))
    assert fault.summary == f"torch 2.14.1 was compiled against libcudnn 9.24.0, loads {version}"
    assert fault.actual == f"{version}, from {CUDNN}"
    assert not fault.note


def test_two_copies_in_one_process_break() -> None:
    found = told(CUDNN, "/usr/lib/libcudnn.so.9", compiled_libcudnn=[9, 24, 0], loaded_libcudnn=[9, 24, 0])
    (fault,) = mismatched(found).faults
    assert fault.summary == "The import of torch 2.14.1 loads 2 copies of libcudnn"


def test_parts_of_a_library_are_no_copies_of_it() -> None:
    parts = (CUDNN, CUDNN.replace("libcudnn.", "libcudnn_graph."))
    assert not mismatched(told(*parts, compiled_libcudnn=[9, 24, 0], loaded_libcudnn=[9, 24, 0])).faults


def test_what_is_not_told_is_counted_and_never_as_kept() -> None:
    judgement = mismatched(told(compiled_libcudnn=[9, 24, 0], loaded_libcudnn=None, problem="OSError: none"))
    assert (judgement.examined, judgement.faults) == (0, ())
    assert judgement.passed_over == (("of which it is not told what they were compiled against", 1),)
    strange = told(compiled_libcudnn=["nine"], loaded_libcudnn=[9, 24, 0])
    assert [one.fits for one in fitted_libraries(strange)] == [None]


def test_a_build_without_cuda_is_asked_in_vain() -> None:
    assert fitted_libraries(told()) == ()
    assert claimed_architectures(told()) == {}
    assert fitted_libraries(facts()) == ()


def architectures(found: Facts) -> Judgement:
    return missing_architecture.judge(FLEET, found)


def test_architectures_that_are_claimed_and_held_are_kept() -> None:
    assert not architectures(told(architectures=["sm_80", "compute_90"])).faults


def test_an_architecture_that_is_claimed_and_held_by_no_file_is_not_verified() -> None:
    (fault,) = architectures(told(architectures=["sm_80", "sm_90"])).faults
    assert fault.unverified
    assert fault.summary == "torch 2.14.1 says it was compiled for sm_90, and no file of it holds such code"

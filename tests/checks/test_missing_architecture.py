from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.missing_architecture import judge
from imgcheck.facts.model import Distribution
from imgcheck.facts.native import NativeFile
from imgcheck.outcome import Fault, Judgement
from tests.checks.build_facts import a_contract, dist, facts
from tests.checks.gpu_files import code
from tests.checks.native_files import native, natives

FAISS = dist("faiss 1.14.1")


def judged(
    *files: NativeFile, fleet: tuple[str, ...] = ("9.0",), of: tuple[Distribution, ...] = (FAISS,), **more: Any
) -> Judgement:
    return judge(a_contract(gpu={"capabilities": fleet}), facts(*of, native=natives(*files, **more)))


def the_fault(judgement: Judgement) -> Fault:
    (fault,) = judgement.faults
    return fault


def test_code_for_every_gpu_of_the_fleet_is_kept() -> None:
    judgement = judged(native("faiss/_f.so", gpu=code("sm_80 sm_90")), native("faiss/plain.so"), fleet=("8.0", "9.0"))
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "GPU libraries", ())


def test_a_library_without_code_for_a_gpu_breaks_and_says_what_it_holds() -> None:
    fault = the_fault(judged(native("faiss/_f.so", gpu=code("sm_70 sm_80")), fleet=("8.0", "9.0")))
    assert fault.summary == ("faiss 1.14.1 has no code for GPUs of capability 9.0: _f.so holds sm_70, sm_80 only")
    assert fault.subject == "faiss -> 9.0"
    assert fault.expected == "code for sm_90, or PTX for it or an older one"
    assert not fault.note


def test_what_runs_only_by_jit_is_kept_and_counted() -> None:
    judgement = judged(native("faiss/_f.so", gpu=code("compute_80@8.5")))
    assert judgement.faults == ()
    assert judgement.passed_over == (("libraries run on a GPU of the fleet only by JIT", 1),)


def test_a_library_that_chooses_between_containers_is_counted() -> None:
    judgement = judged(native("faiss/_f.so", gpu=code("sm_80", "sm_90a")))
    assert judgement.faults == ()
    assert judgement.passed_over == (("libraries choose at run time among code of which a part runs", 1),)


def test_a_library_for_one_other_gpu_is_counted() -> None:
    judgement = judged(native("faiss/_f.so", gpu=code("sm_100a")), native("faiss/_g.so", gpu=code("sm_90")))
    assert judgement.faults == ()
    assert judgement.passed_over == (("libraries made for one GPU that the fleet does not have", 1),)


def test_variants_by_cuda_version_lie_side_by_side() -> None:
    old, new = (
        native(f"faiss/libfaiss_cuda{cuda}.so", gpu=code(held)) for cuda, held in (("118", "sm_80"), ("128", "sm_90"))
    )
    judgement = judged(old, new)
    assert judgement.faults == ()
    assert judgement.passed_over == (("variants of a library of which another one runs", 1),)


def test_an_architecture_newer_than_the_table_is_unverified() -> None:
    fault = the_fault(judged(native("faiss/_f.so", gpu=code("sm_130"))))
    assert fault.unverified
    assert "newer than imgcheck's table" in fault.actual


def test_a_capability_newer_than_the_table_is_unverified_and_nothing_counts_as_examined() -> None:
    judgement = judged(native("faiss/_f.so", gpu=code("sm_80")), fleet=("19.0",))
    assert (judgement.examined, the_fault(judgement).unverified) == (0, True)


def test_gpu_code_that_cannot_be_read_is_unverified() -> None:
    fault = the_fault(judged(native("faiss/_f.so", gpu=code("sm_90", problem="an unknown container at 0x10"))))
    assert fault.unverified


@pytest.mark.parametrize(
    ("label", "broken"), [("nvidia-cublas 13.1.0.3", True), ("nvidia-cublas-cu12 12.4.5.8", False)]
)
def test_nvidia_s_own_libraries_are_judged_by_their_cuda(label: str, broken: bool) -> None:
    name = label.partition(" ")[0]
    cublas = native(f"{name}/libcublas.so", gpu=code("sm_80"))
    judgement = judged(cublas, fleet=("7.0",), of=(dist(label),))
    assert bool(judgement.faults) is broken
    if broken:
        assert the_fault(judgement).summary.startswith(
            "CUDA 13 no longer runs on GPUs of capability 7.0; needed by nvidia-"
        )

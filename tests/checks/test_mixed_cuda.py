from __future__ import annotations

from imgcheck.checks.mixed_cuda import judge
from imgcheck.facts.model import Distribution
from imgcheck.facts.native import NativeFile
from imgcheck.outcome import Fault, Judgement
from tests.checks.build_facts import a_contract, dist, facts
from tests.checks.native_files import native, natives

TORCH = native("torch/lib/libtorch_cpu.so", "libcudart.so.13")
DISTS = (dist("torch 2.14.1"), dist("xformers 0.0.35"), dist("faiss 1.14.1"))


def judged(*files: NativeFile, of: tuple[Distribution, ...] = DISTS) -> Judgement:
    return judge(a_contract(native=True), facts(*of, native=natives(*files)))


def the_fault(judgement: Judgement) -> Fault:
    (fault,) = judgement.faults
    return fault


def test_one_cuda_is_kept() -> None:
    judgement = judged(TORCH, native("xformers/_C.so", "libtorch.so", "libcudart.so.13"))
    assert (judgement.examined, judgement.unit, judgement.faults) == (2, "CUDA builds", ())


def test_an_extension_for_another_cuda_than_its_host_breaks() -> None:
    fault = the_fault(judged(TORCH, native("xformers/_C.so", "libtorch.so", "libcudart.so.12")))
    assert fault.summary == "xformers 0.0.35 is built for CUDA 12, and torch 2.14.1 for CUDA 13"
    assert fault.subject == "xformers -> CUDA 12"
    assert not fault.note


def test_another_cuda_beside_it_is_a_note() -> None:
    assert the_fault(judged(TORCH, native("faiss/_f.so", "libcublas.so.12"))).note


def test_without_a_host_most_decide() -> None:
    files = (
        native("a/_a.so", "libcudart.so.12"),
        native("b/_b.so", "libcudart.so.12"),
        native("c/_c.so", "libcudart.so.13"),
    )
    fault = the_fault(judged(*files))
    assert (fault.subject, fault.note) == ("c -> CUDA 13", True)


def test_a_distribution_with_variants_for_several_is_its_own_business() -> None:
    both = (native("faiss/cuda12.so", "libcudart.so.12"), native("faiss/cuda13.so", "libcudart.so.13"))
    assert not judged(TORCH, *both).faults


def test_t05b_builds_by_their_local_versions_must_agree() -> None:
    vision = dist("torchvision 0.28.0+cu130", "torch==2.13.0")
    fault = the_fault(judged(of=(dist("torch 2.13.0+cpu"), vision)))
    assert fault.summary == (
        "torchvision 0.28.0+cu130 is a build for cu130, and torch 2.13.0+cpu, which it requires, one for cpu"
    )
    assert not judged(of=(dist("torch 2.13.0+cu130"), vision)).faults
    assert not judged(of=(dist("torch 2.13.0"), vision)).faults

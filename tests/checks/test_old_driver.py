from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.old_driver import judge
from imgcheck.diagnosis.driver_needs import first_cuda
from imgcheck.facts.model import Distribution
from imgcheck.facts.native import NativeFile
from imgcheck.outcome import Fault, Judgement
from tests.checks.build_facts import a_contract, dist, facts
from tests.checks.gpu_files import code, libcuda
from tests.checks.native_files import lacks, native, natives

TORCH = dist("torch 2.14.1")


def judged(
    *files: NativeFile,
    driver: str = "550.54",
    fleet: tuple[str, ...] = ("9.0",),
    of: tuple[Distribution, ...] = (TORCH,),
    env: tuple[str, ...] = (),
    **more: Any,
) -> Judgement:
    found = facts(*of, native=natives(*files, **more))
    image = found.image.model_copy(update={"env": env})
    contract = a_contract(gpu={"capabilities": fleet, "driver": driver})
    return judge(contract, found.model_copy(update={"image": image}))


def the_fault(judgement: Judgement) -> Fault:
    (fault,) = judgement.faults
    return fault


def test_cuda_that_the_driver_runs_is_kept() -> None:
    judgement = judged(native("torch/_C.so", "libcudart.so.12"), driver="525.60.13")
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "driver needs", ())


def test_a_cuda_major_newer_than_the_driver_breaks() -> None:
    fault = the_fault(judged(native("torch/_C.so", "libcudart.so.13")))
    assert fault.summary == (
        "CUDA 13, needed by torch, does not run on the fleet's driver 550.54, which knows CUDA 12.4"
    )
    assert (fault.subject, fault.details) == ("CUDA 13", ("torch",))
    assert "driver of branch 580" in fault.expected


def test_nvidia_s_wheels_tell_their_cuda() -> None:
    assert the_fault(judged(of=(dist("nvidia-cuda-runtime 13.0.96"),))).subject == "CUDA 13"
    assert not judged(of=(dist("nvidia-cublas-cu12 12.4.5.8"), dist("nvidia-ml-py 13.580.82"))).faults


def test_ptx_newer_than_the_driver_breaks_only_where_a_gpu_needs_it() -> None:
    library = native("torch/_C.so", gpu=code("sm_80 compute_80@9.0"))
    fault = the_fault(judged(library, fleet=("8.0", "9.0")))
    assert fault.summary == (
        "torch 2.14.1 runs on GPUs of capability 9.0 only when the driver compiles its PTX 9.0, which came with "
        "CUDA 13.0; the fleet has driver 550.54, which knows CUDA 12.4"
    )
    assert "580 or newer" in fault.expected
    assert not judged(library, fleet=("8.0",)).faults
    assert not judged(library, driver="580.65", fleet=("9.0",)).faults


def test_ptx_that_no_table_knows_is_unverified_unless_the_image_s_own_does() -> None:
    library = native("torch/_C.so", gpu=code("compute_80@9.9"))
    assert the_fault(judged(library)).unverified
    assert not the_fault(judged(library, ptx={"9.9": "14.0"})).unverified


def test_a_function_that_the_driver_lacks_breaks() -> None:
    missing = (lacks("libcuda.so.1", "torch/_C.so"),)
    file = native(
        "torch/_C.so", "libcuda.so.1", missing=missing, undefined=("cuInit", "cuGreenCtxCreate"), undefined_count=2
    )
    fault = the_fault(judged(file, driver="535.10"))
    assert "calls the driver's cuGreenCtxCreate, which came with CUDA 12.4" in fault.summary
    assert not judged(file).faults


@pytest.mark.parametrize(
    ("function", "cuda"),
    [
        ("cuInit", (0, 0)),
        ("cuMemcpyHtoDAsync_v2", (0, 0)),
        ("cuMemcpyHtoDAsync_v2_ptsz", (0, 0)),
        ("cuGetProcAddress", (11, 3)),
        ("cuGetProcAddress_v2", (12, 0)),
        ("cuStreamGetId_ptsz", (12, 0)),
        ("cuDeviceGetCliqueCount", (13, 4)),
        ("cuNeverHeardOf", None),
    ],
)
def test_the_cuda_of_a_function(function: str, cuda: tuple[int, int] | None) -> None:
    assert first_cuda(function) == cuda


def test_a_function_that_no_table_knows_is_unverified_beside_one_that_breaks() -> None:
    names = ("cuGreenCtxCreate", "cuNeverHeardOf")
    file = native("torch/_C.so", "libcuda.so.1", missing=(lacks("libcuda.so.1", "torch/_C.so"),), undefined=names)
    faults = judged(file, driver="535.10").faults
    assert [(one.subject, one.unverified) for one in faults] == [
        ("torch -> cuGreenCtxCreate", False),
        ("torch -> cuNeverHeardOf", True),
    ]
    assert "a CUDA that imgcheck's table does not have" in faults[1].summary


def test_what_the_image_asks_of_the_driver_is_judged_whatever_the_runtime_does() -> None:
    env = ("NVIDIA_REQUIRE_CUDA=cuda>=12.8",)
    fault = the_fault(judged(env=env))
    assert fault.summary == (
        "The image asks for NVIDIA_REQUIRE_CUDA=cuda>=12.8, and has driver 550.54, which knows CUDA 12.4"
    )
    assert "CDI" in fault.remedy
    assert not judged(env=env, driver="570.10").faults


def test_a_requirement_that_the_contract_says_too_little_for_is_unverified() -> None:
    assert the_fault(judged(env=("NVIDIA_REQUIRE_X=brand=tesla",))).unverified


def test_a_forward_compatibility_driver_serves_and_is_counted() -> None:
    compat = libcuda("/usr/local/cuda/compat/libcuda.so.580.1", compatibility={"cuda": "13.0", "drivers": (550,)})
    judgement = judged(native("torch/_C.so", "libcudart.so.13"), drivers=(compat,))
    assert not judgement.faults
    assert judgement.passed_over[0][0].startswith("rest on the image's forward-compatibility driver")


def test_a_cuda_newer_than_the_table_is_unverified() -> None:
    assert the_fault(judged(native("torch/_C.so", "libcudart.so.14"))).unverified


def test_toolkits_of_the_image_count() -> None:
    toolkit = {"path": "/usr/local/cuda-13.0", "version": "13.0.1"}
    assert the_fault(judged(toolkits=(toolkit,))).details == ("/usr/local/cuda-13.0",)


def test_of_variants_for_several_majors_the_oldest_counts() -> None:
    variants = (native("torch/a12.so", "libcudart.so.12"), native("torch/a13.so", "libcudart.so.13"))
    assert not judged(*variants).faults

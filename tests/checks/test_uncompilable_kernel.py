from __future__ import annotations

from typing import Any

from imgcheck.checks.uncompilable_kernel import judge
from imgcheck.facts.kernels import KernelFacts, KernelsFacts, LazyKernels
from imgcheck.outcome import Fault, Judgement
from tests.checks.build_facts import a_contract, facts

KERNEL = {"function": "metrics.fast:auc", "signature": "float64(float64[:])"}


def judged(*compiled: KernelFacts, lazy: int = 0) -> Judgement:
    found = KernelsFacts(compiled=compiled, lazy=(LazyKernels(distribution="metrics", count=lazy),) if lazy else ())
    return judge(a_contract(kernels=[KERNEL]), facts(kernels=found))


def kernel(**more: Any) -> KernelFacts:
    return KernelFacts.model_validate({"function": KERNEL["function"], "kind": "numba", **more})


def the_fault(judgement: Judgement) -> Fault:
    (fault,) = judgement.faults
    return fault


def test_a_kernel_that_compiles_is_kept_and_lazy_ones_are_counted() -> None:
    judgement = judged(kernel(targets=("CPU",)), lazy=3)
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "kernels", ())
    assert judgement.passed_over == (("numba functions without a signature, which compile at their first call", 3),)


def test_a_kernel_that_does_not_compile_breaks_with_the_first_line_and_the_trace() -> None:
    fault = the_fault(judged(kernel(error="TypingError: no match\nfor x", trace="Traceback …")))
    assert fault.summary == "The kernel metrics.fast:auc does not compile: TypingError: no match"
    assert fault.evidence == "Traceback …"


def test_a_crash_while_compiling_breaks() -> None:
    assert the_fault(judged(kernel(kind="", ended="its process ended with status -11"))).actual.endswith("-11")


def test_a_failure_for_one_gpu_of_several_breaks() -> None:
    assert not the_fault(judged(kernel(kind="triton", targets=("8.0",), error="RuntimeError: no 120"))).unverified


def test_what_is_no_kernel_breaks() -> None:
    assert "no function that numba or Triton compiles" in the_fault(judged(kernel(kind=""))).summary


def test_a_gpu_kernel_without_a_fleet_is_unverified() -> None:
    fault = the_fault(judged(kernel(kind="numba.cuda")))
    assert fault.unverified
    assert "gpu.capabilities" in fault.actual


def test_a_kernel_without_an_answer_is_unverified() -> None:
    assert the_fault(judged()).unverified

"""IC603: a kernel of the contract does not compile in this image for its signature."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.facts.kernels import KernelFacts
from imgcheck.facts.model import Facts
from imgcheck.outcome import Fault, Judgement, Location

_GPU = frozenset({"numba.cuda", "triton"})


def judge(contract: Contract, facts: Facts) -> Judgement:
    if facts.kernels is None:
        return Judgement(examined=0, unit="kernels")
    told = {one.function: one for one in facts.kernels.compiled}
    faults = [
        _judged(kernel.function, told.get(kernel.function), contract.where("kernels", str(number)))
        for number, kernel in enumerate(contract.kernels)
    ]
    lazy = sum(one.count for one in facts.kernels.lazy)
    over = (("numba functions without a signature, which compile at their first call", lazy),) if lazy else ()
    return Judgement(
        examined=sum(bool(one.targets) for one in facts.kernels.compiled),
        unit="kernels",
        faults=tuple(fault for fault in faults if fault),
        passed_over=over,
    )


def _judged(function: str, told: KernelFacts | None, where: Location | None) -> Fault | None:
    if told is None:
        return _untold(function, "the facts hold no answer of it", where)
    if told.kind in _GPU and not told.targets and not told.error and not told.ended:
        return _untold(function, "gpu.capabilities in the contract names no GPU to compile it for", where)
    if told.targets and not told.error:
        return None
    words = told.error.partition("\n")[0] or told.ended or "it is no function that numba or Triton compiles"
    return Fault(
        subject=function,
        summary=f"The kernel {function} does not compile: {words}",
        expected="compiled for the signature in the contract",
        actual=words,
        remedy="See the message: it names the line. Choose versions of the compiler and of the package that go "
        "together, or mend the signature in the contract.",
        location=where,
        evidence=told.trace,
        identity=words,
    )


def _untold(function: str, why: str, where: Location | None) -> Fault:
    return Fault(
        subject=function,
        summary=f"Whether the kernel {function} compiles cannot be told",
        expected="compiled for the signature in the contract",
        actual=why,
        remedy="Name the fleet's GPUs under gpu.capabilities, or run imgcheck again with --no-cache.",
        location=where,
        unverified=True,
    )


CHECK = Check(
    code="IC603",
    name="uncompilable-kernel",
    summary="A kernel does not compile for its signature",
    needs=Needs.KERNELS,
    applies=lambda contract: bool(contract.kernels),
    judge=judge,
    inheritable=False,
)

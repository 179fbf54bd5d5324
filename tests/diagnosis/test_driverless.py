"""Imports that wait for the GPU driver: what is asked for in its place, and what that tells."""

from __future__ import annotations

from imgcheck.checks.unimportable_module import judge
from imgcheck.diagnosis.driverless import DriverLibrary, driver_libraries, wanted_of_driver
from imgcheck.facts.model import ImportFacts, ModuleFacts
from imgcheck.outcome import Fault, Judgement
from tests.checks.build_facts import a_contract, at, dist, facts, link, module, raises
from tests.checks.native_files import lacks, native, natives

NO_DRIVER = "ImportError: libcuda.so.1: cannot open shared object file: No such file or directory"
WAITS = module("k._C", "k", raises(NO_DRIVER, at("k/ops.py")))
KERNELS = native(
    "k/_C.so",
    missing=(lacks("libcuda.so.1", "k/_C.so"),),
    undefined=("cuInit", "cuGreenCtxCreate", "gone"),
)


def test_modules_that_wait_for_a_driver_library_are_found_through_the_chain() -> None:
    chained = module("k.user", "k", raises("RuntimeError: no kernels", chain=[link(NO_DRIVER)]))
    message = module("k.init", "k", raises("RuntimeError: Found no NVIDIA driver"))
    other = module("k.cv", "k", raises("ImportError: libGL.so.1: cannot open shared object file"))
    found = wanted_of_driver(ImportFacts(modules=(WAITS, chained, message, other, module("k", "k"))))
    assert (found.modules, found.libraries) == (("k._C", "k.user"), ("libcuda.so.1",))
    assert wanted_of_driver(None).modules == ()


def test_a_stand_in_has_the_functions_that_files_link_and_no_others() -> None:
    management = native(
        "m/_m.so", missing=(lacks("libnvidia-ml.so.1", "m/_m.so"),), undefined=("nvmlInit_v2", "cuInit")
    )
    assert driver_libraries(natives(KERNELS, management), ["libnvidia-opticalflow.so.1"]) == (
        DriverLibrary(soname="libcuda.so.1", symbols=("cuGreenCtxCreate", "cuInit"), result=34),
        DriverLibrary(soname="libnvidia-ml.so.1", symbols=("nvmlInit_v2",), result=12),
        DriverLibrary(soname="libnvidia-opticalflow.so.1", symbols=(), result=1),
    )


def judged(*with_stand_in: ModuleFacts) -> Judgement:
    known = facts(dist("k 1.0", modules=["k", "k._C"]), modules=[module("k", "k"), WAITS], native=natives(KERNELS))
    driverless = ImportFacts(modules=with_stand_in) if with_stand_in else None
    return judge(a_contract(imports=True), known.model_copy(update={"driverless": driverless}))


def the_fault(judgement: Judgement) -> Fault:
    (fault,) = judgement.faults
    return fault


def test_a_pass_with_a_stand_in_is_told_and_is_no_pass() -> None:
    fault = the_fault(judged(module("k._C", "k")))
    assert fault.unverified
    assert fault.actual == f"{NO_DRIVER}; with a stand-in for the driver the import goes through"
    assert fault.evidence.endswith(
        "functions of the driver that it links: cuGreenCtxCreate, cuInit; cuGreenCtxCreate came with CUDA 12.4"
    )


def test_what_fails_below_python_with_a_stand_in_too_is_broken_and_told_once() -> None:
    mismatch = raises("ImportError: /x/k/_C.so: undefined symbol: _ZN3c105ErrorC1Ev", at("k/ops.py"))
    fault = the_fault(judged(module("k._C", "k", mismatch)))
    assert not fault.unverified
    assert not fault.note
    assert "undefined symbol: _ZN3c105ErrorC1Ev" in fault.actual


def test_what_a_stand_in_makes_python_code_say_proves_nothing() -> None:
    fault = the_fault(judged(module("k._C", "k", raises("RuntimeError: no GPU found\nbuy one", at("k/ops.py")))))
    assert fault.unverified
    assert fault.actual.endswith("with a stand-in for the driver 1 of 1 still fail: RuntimeError: no GPU found")


def test_a_crash_with_a_stand_in_proves_nothing() -> None:
    fault = the_fault(judged(module("k._C", "k", status="signal", signal=11)))
    assert fault.unverified
    assert fault.actual.endswith("1 of 1 still fail: signal")


def test_without_a_second_try_there_is_nothing_to_add() -> None:
    fault = the_fault(judged())
    assert (fault.unverified, fault.actual) == (True, NO_DRIVER)

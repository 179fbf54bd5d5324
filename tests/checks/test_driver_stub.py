from __future__ import annotations

from imgcheck.checks.driver_stub import judge
from imgcheck.facts.native import DriverCopy
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract, dist, facts
from tests.checks.gpu_files import libcuda
from tests.checks.native_files import native, natives

STUBS = "/usr/local/cuda/lib64/stubs"


def judged(*drivers: DriverCopy) -> Judgement:
    return judge(a_contract(native=True), facts(dist("foo 1"), native=natives(native("foo/_f.so"), drivers=drivers)))


def test_an_image_without_a_driver_is_kept() -> None:
    judgement = judged()
    assert (judgement.examined, judgement.faults, judgement.passed_over) == (1, (), ())


def test_stubs_off_the_path_and_forward_compatibility_are_counted() -> None:
    compat = libcuda("/c/libcuda.so.580.1", "/c", compatibility={"cuda": "13.0", "drivers": (550,)})
    judgement = judged(libcuda(f"{STUBS}/libcuda.so", stub=True), compat)
    assert judgement.faults == ()
    assert judgement.passed_over == (("forward-compatibility drivers", 1), ("stubs off the loader's path", 1))


def test_a_stub_on_the_path_breaks() -> None:
    (fault,) = judged(libcuda(f"{STUBS}/libcuda.so", STUBS, stub=True)).faults
    assert fault.summary.startswith(f"Programs of the image find a stub, made for linking only, in {STUBS}")
    assert "error 34" in fault.summary
    assert STUBS in fault.remedy


def test_a_copy_of_the_driver_breaks() -> None:
    (fault,) = judged(libcuda("/usr/lib/libcuda.so.535.1", "/usr/lib", version="535.1")).faults
    assert "a copy of the driver 535.1" in fault.summary
    assert "cuda-compat" in fault.remedy

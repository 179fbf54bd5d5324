from __future__ import annotations

import pytest

from imgcheck.checks.swallowed_load import judge
from imgcheck.diagnosis.swallowing import unloaded_by_module, waiting_for_driver, with_stand_in
from imgcheck.facts.loads import LoadFacts, LoadTry
from imgcheck.facts.model import ImportFacts
from imgcheck.outcome import Fault, Judgement
from tests.checks.build_facts import SITE, a_contract, dist, facts, module, raises

OPS = f"{SITE}/ops/_C.so"
NO_LIBRARY = "libcudart.so.12: cannot open shared object file: No such file or directory"
DRIVER = "need the GPU driver, and load with a stand-in for it where one can be made"
NO_SYMBOL = f"{OPS}: undefined symbol: _ZN3c105ErrorC1Ev"


def tried(error: str | None, path: str = OPS, **more: object) -> LoadTry:
    return LoadTry.model_validate({"module": "ops", "distribution": "ops", "path": path, "error": error, **more})


def judged(*tries: LoadTry) -> Judgement:
    known = facts(dist("ops 1.0"), dist("torch 2.4.0"), modules=[module("ops", "ops"), module("torch", "torch")])
    return judge(a_contract(imports=True), known.model_copy(update={"loads": LoadFacts(tries=tries)}))


def the_fault(judgement: Judgement) -> Fault:
    (fault,) = judgement.faults
    return fault


def test_imports_that_load_all_they_try_are_kept() -> None:
    assert judged() == Judgement(examined=2, unit="imports")


def test_a_file_of_its_own_that_lacks_a_library_breaks() -> None:
    fault = the_fault(judged(tried(NO_LIBRARY)))
    assert fault.summary == "ops 1.0 goes on without _C.so, which does not load"
    assert (fault.subject, fault.actual, fault.identity) == ("ops -> _C.so", NO_LIBRARY, "libcudart.so.12")
    assert fault.remedy.startswith("Install nvidia-cuda-runtime-cu12 (a wheel), or install a variant of ops")
    assert fault.evidence == f"{OPS}: {NO_LIBRARY}"
    assert not fault.note
    assert not fault.unverified


@pytest.mark.parametrize("extension", [True, False])
def test_what_was_built_for_another_version_breaks_though_its_package_catches_it(extension: bool) -> None:
    fault = the_fault(judged(tried(NO_SYMBOL, extension=extension)))
    assert fault.remedy.startswith("Install builds of ops and torch that were made for each other")
    assert fault.identity == "_ZN3c105ErrorC1Ev"
    assert not fault.note


def test_a_garbled_file_breaks() -> None:
    fault = the_fault(judged(tried(f"{OPS}: invalid ELF header")))
    assert fault.identity == "<path>: invalid ELF header"
    assert "reinstall it" in fault.remedy


def test_a_module_that_its_package_goes_without_may_lack_a_library() -> None:
    assert the_fault(judged(tried("libtbb.so.12: cannot open shared object file", extension=True))).note


def test_what_could_not_be_tried_again_is_not_verified() -> None:
    fault = the_fault(judged(tried(None, problem="its process ended with signal 11")))
    assert (fault.unverified, fault.actual) == (True, "its process ended with signal 11")


@pytest.mark.parametrize(
    ("one", "words"),
    [
        pytest.param(tried("libcuda.so.1: cannot open shared object file"), DRIVER, id="driver"),
        pytest.param(tried("", stand_in=True), DRIVER, id="stand-in"),
        pytest.param(tried("libnvidia-ml.so.1: cannot open shared object file", extension=True), DRIVER, id="nvml"),
        pytest.param(tried(f"{OPS}: undefined symbol: cuGreenCtxCreate"), DRIVER, id="driver symbol"),
        pytest.param(tried(""), "load when they are tried again", id="later"),
        pytest.param(tried(NO_LIBRARY, "/usr/lib/libx.so", distribution=""), "belong to no distribution", id="system"),
    ],
)
def test_what_is_no_fault_is_counted(one: LoadTry, words: str) -> None:
    judgement = judged(one)
    assert judgement.faults == ()
    assert judgement.passed_over == ((f"libraries that {words}", 1),)


def test_files_of_one_cause_are_one_fault_and_its_details_name_the_others() -> None:
    fault = the_fault(judged(tried(NO_LIBRARY), tried(NO_LIBRARY, f"{SITE}/ops/_D.so", module="ops.d")))
    assert fault.summary == "ops 1.0 goes on without _C.so and 1 more, which does not load"
    assert fault.details == ("ops -> _D.so",)
    two = judged(tried(NO_LIBRARY), tried(NO_SYMBOL, f"{SITE}/ops/_D.so"))
    assert [one.subject for one in two.faults] == ["ops -> _D.so", "ops -> _C.so"]


def test_of_many_imports_that_try_a_file_the_least_is_taken_for_the_second_try() -> None:
    modules = (
        module("ops.big", "ops", unloaded=(OPS, "/b.so"), cpu=2.0),
        module("ops", "ops", unloaded=("/a.so", OPS), cpu=0.5),
        module("other", "ops"),
    )
    assert unloaded_by_module(ImportFacts(modules=modules)) == {"ops": ("/a.so", OPS), "ops.big": ("/b.so",)}


def test_what_waits_for_the_driver_counts_by_its_second_try_with_a_stand_in() -> None:
    other = tried("", f"{SITE}/ops/fine.so")
    first = LoadFacts(tries=(tried("libcuda.so.1: cannot open shared object file"), other))
    waiting = waiting_for_driver(first)
    assert (waiting.paths, waiting.libraries) == ({"ops": (OPS,)}, ("libcuda.so.1",))
    both = with_stand_in(first, LoadFacts(tries=(tried(NO_SYMBOL),)))
    assert [one.stand_in for one in both.tries] == [True, False]
    assert not the_fault(judged(*both.tries)).note
    assert judged(*with_stand_in(first, LoadFacts(tries=(tried(""),))).tries).faults == ()


@pytest.mark.parametrize(("words", "told"), [(NO_LIBRARY, 0), ("another", 1)])
def test_a_failure_that_the_import_raises_is_not_swallowed(words: str, told: int) -> None:
    modules = [module("ops", "ops", raises(f"OSError: {words}"))]
    known = facts(dist("ops 1.0"), modules=modules).model_copy(update={"loads": LoadFacts(tries=(tried(NO_LIBRARY),))})
    assert len(judge(a_contract(imports=True), known).faults) == told

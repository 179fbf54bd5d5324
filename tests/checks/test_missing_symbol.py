from __future__ import annotations

from imgcheck.checks.missing_symbol import judge
from imgcheck.diagnosis.symbols import owner_of, readable
from imgcheck.facts.model import Distribution
from imgcheck.facts.native import BorrowedSymbol, NativeFile
from imgcheck.outcome import Fault, Judgement
from tests.checks.build_facts import a_contract, dist, facts
from tests.checks.native_files import lacks, native, natives

OP = "_ZN3c1015SmallVectorBaseIjE8grow_podEPKvmm"
TEXT, TORCH = dist("torchtext 0.18.0"), dist("torch 2.13.0")


def judged(*files: NativeFile, of: tuple[Distribution, ...] = (TEXT, TORCH)) -> Judgement:
    return judge(a_contract(native=True), facts(*of, native=natives(*files)))


def the_fault(judgement: Judgement) -> Fault:
    (fault,) = judgement.faults
    return fault


def test_symbols_that_are_all_defined_are_kept() -> None:
    judgement = judged(native("torchtext/lib/libtorchtext.so", "libtorch.so"))
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "native files", ())


def test_t04_a_symbol_that_nothing_defines_breaks_and_both_sides_are_named() -> None:
    file = native("torchtext/lib/libtorchtext.so", "libtorch.so", undefined=(OP,), undefined_count=1)
    fault = the_fault(judged(file))
    assert fault.summary == (
        "torchtext 0.18.0 was built for another torch than torch 2.13.0: libtorchtext.so needs c10::SmallVectorBase, "
        "which no library of the image defines"
    )
    assert fault.subject == "torchtext -> torch"
    assert "torchtext and torch that were made for each other" in fault.remedy
    assert OP in fault.evidence
    assert not fault.note


def test_a_symbol_of_nobody_known_names_the_library_alone() -> None:
    file = native("torchtext/x.so", undefined=("cublasLtGroupedMatrixLayoutInit_internal",), undefined_count=9)
    fault = the_fault(judged(file))
    assert fault.subject == "torchtext"
    assert "needs cublasLtGroupedMatrixLayoutInit_internal" in fault.summary


def test_a_symbol_of_another_file_of_the_image_is_counted() -> None:
    borrowed = BorrowedSymbol(symbol="f", file="/x/lib.so")
    judgement = judged(native("torchtext/x.so", elsewhere=(borrowed,), elsewhere_count=1))
    assert not judgement.faults
    assert judgement.passed_over == (("load only after other libraries of the image", 1),)


def test_the_driver_s_symbols_come_with_its_library() -> None:
    driver = native(
        "torchtext/x.so",
        missing=(lacks("libcuda.so.1", "torchtext/x.so"),),
        undefined=("cuInit", "cuMemcpyDtoH_v2"),
        undefined_count=2,
    )
    assert not judged(driver).faults
    without = native("torchtext/x.so", undefined=("cuInit",), undefined_count=1)
    assert judged(without).faults


def test_a_file_that_lacks_a_library_is_left_to_that_check() -> None:
    file = native(
        "torchtext/x.so", missing=(lacks("libgone.so", "torchtext/x.so"),), undefined=("f",), undefined_count=1
    )
    judgement = judged(file)
    assert (judgement.examined, judgement.faults) == (0, ())
    assert judgement.passed_over == (("lack a library or a version: see missing-library, missing-symbol-version", 1),)


def test_a_module_whose_package_goes_on_without_it_is_a_note() -> None:
    file = native("torchtext/_x.so", module="torchtext._x", guarded=True, undefined=(OP,), undefined_count=1)
    assert the_fault(judged(file)).note


def test_many_symbols_are_counted_in_the_evidence() -> None:
    file = native("torchtext/x.so", undefined=tuple("abcdef"), undefined_count=1200)
    assert "… and 1197 more" in the_fault(judged(file)).evidence


def test_nested_names_are_made_readable_and_others_left_alone() -> None:
    assert readable("_ZN3c105ErrorC1Ev") == "c10::Error"
    assert readable("_ZNK2at10TensorBase8data_ptrIdEEPT_v") == "at::TensorBase::data_ptr"
    assert readable("cuInit") == "cuInit"
    assert readable("_ZN99x") == "_ZN99x"
    assert (owner_of("_ZN3c105ErrorC1Ev"), owner_of("cuInit"), owner_of("_ZN5other1xEv")) == ("torch", "", "")

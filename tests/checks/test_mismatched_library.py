from __future__ import annotations

from typing import Any

from imgcheck.checks.mismatched_library import judge
from imgcheck.facts.native import NativeFile, NeededLibrary
from imgcheck.outcome import Fault, Judgement
from tests.checks.build_facts import SITE, a_contract, dist, facts
from tests.checks.native_files import native, natives

OWN = f"{SITE}/nvidia-cudnn/libcudnn.so.9"
SYSTEM = "/usr/lib/libcudnn.so.9.15.1"
DISTS = (dist("torch 2.14.1"), dist("onnxruntime 1.31"), dist("nvidia-cudnn 9.24.0.43"))


def uses(path: str, found: str, **more: Any) -> NativeFile:
    library = NeededLibrary.model_validate({"name": "libcudnn.so.9", "found": found, "how": "rpath", **more})
    return native(path, needed=(library,))


def judged(*files: NativeFile) -> Judgement:
    return judge(a_contract(native=True), facts(*DISTS, native=natives(*files, native("nvidia-cudnn/libcudnn.so.9"))))


def the_fault(judgement: Judgement) -> Fault:
    (fault,) = judgement.faults
    return fault


def test_one_copy_for_all_is_kept() -> None:
    judgement = judged(uses("torch/a.so", OWN), uses("onnxruntime/b.so", OWN))
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "CUDA libraries", ())


def test_two_copies_are_a_note_with_who_takes_which() -> None:
    fault = the_fault(judged(uses("torch/a.so", OWN), uses("onnxruntime/b.so", SYSTEM)))
    assert fault.note
    assert f"{OWN} (9.24.0.43) for torch" in fault.actual
    assert f"{SYSTEM} (9.15.1) for onnxruntime" in fault.actual


def test_an_older_copy_on_ld_library_path_breaks_where_runpath_yields() -> None:
    fault = the_fault(judged(uses("torch/a.so", SYSTEM, how="environment", shadows=OWN)))
    assert fault.summary == (
        f"torch 2.14.1 is shipped with libcudnn.so.9 (9.24.0.43), and LD_LIBRARY_PATH makes it load {SYSTEM} (9.15.1)"
    )
    assert not fault.note
    assert "/usr/lib out of LD_LIBRARY_PATH" in fault.remedy


def test_a_newer_copy_is_a_note() -> None:
    newer = "/usr/lib/libcudnn.so.9.30.1"
    assert the_fault(judged(uses("torch/a.so", newer, how="environment", shadows=OWN))).note


def test_other_libraries_are_no_business_of_this_check() -> None:
    library = NeededLibrary(name="libz.so.1", found="/usr/lib/libz.so.1", how="cache")
    assert judged(native("torch/a.so", needed=(library,))).examined == 0

from __future__ import annotations

import pytest

from imgcheck.checks.missing_library import judge
from imgcheck.facts.loads import LoadFacts, LoadTry
from imgcheck.facts.model import Distribution, ModuleFacts
from imgcheck.facts.native import NativeFile
from imgcheck.outcome import Fault, Judgement
from tests.checks.build_facts import SITE, a_contract, at, dist, facts, module, raises
from tests.checks.native_files import lacks, native, natives

CV = dist("cv2 4.10.0.84")
BROKEN = native("cv2/cv2.abi3.so", module="cv2.cv2", missing=(lacks("libGL.so.1", "cv2/cv2.abi3.so"),))


def judged(
    *files: NativeFile, of: tuple[Distribution, ...] = (CV,), modules: tuple[ModuleFacts, ...] = ()
) -> Judgement:
    return judge(a_contract(native=True), facts(*of, modules=modules, native=natives(*files)))


def the_fault(judgement: Judgement) -> Fault:
    (fault,) = judgement.faults
    return fault


def test_files_that_load_are_kept() -> None:
    judgement = judged(native("cv2/cv2.abi3.so", "libc.so.6"), native("cv2/libx.so"))
    assert (judgement.examined, judgement.unit, judgement.faults) == (2, "native files", ())


def test_a_library_that_is_nowhere_breaks_and_the_package_to_install_is_named() -> None:
    fault = the_fault(judged(BROKEN))
    assert fault.summary == (
        "cv2 4.10.0.84 needs the shared library libGL.so.1, which is not in the image: cv2.abi3.so cannot be loaded"
    )
    assert fault.subject == "cv2 -> libGL.so.1"
    assert fault.remedy.startswith("Install libgl1 (Debian and Ubuntu), or ")
    assert fault.evidence == f"{SITE}/cv2/cv2.abi3.so lacks libGL.so.1"
    assert not fault.note


def test_files_of_several_distributions_that_lack_it_through_one_are_one_fault() -> None:
    other = native("user/_u.so", module="user._u", missing=(lacks("libGL.so.1", "cv2/cv2.abi3.so"),))
    fault = the_fault(judged(BROKEN, other, of=(CV, dist("user 1"))))
    assert fault.subject == "cv2 -> libGL.so.1"
    assert fault.evidence.count("lacks libGL.so.1") == 2


def test_all_that_one_distribution_lacks_is_one_fault() -> None:
    names = ("libGL.so.1", "libSM.so.6", "libXext.so.6", "libgthread-2.0.so.0")
    fault = the_fault(judged(native("cv2/a.so", module="cv2.a", missing=[lacks(one, "cv2/a.so") for one in names])))
    assert fault.summary == (
        "cv2 4.10.0.84 needs shared libraries that are not in the image, libGL.so.1, libSM.so.6, libXext.so.6 and "
        "1 more: a.so cannot be loaded"
    )
    assert fault.details == tuple(f"cv2 -> {one}" for one in names[1:])
    assert "libSM.so.6: install libsm6 (Debian and Ubuntu)" in fault.evidence


@pytest.mark.parametrize("library", ["libcuda.so.1", "libnvidia-ml.so.1", "libnvcuvid.so.1"])
def test_the_driver_s_libraries_come_at_run_time(library: str) -> None:
    file = native("vllm/_C.abi3.so", module="vllm._C", missing=(lacks(library, "vllm/_C.abi3.so"),))
    judgement = judged(file)
    assert not judgement.faults
    assert judgement.passed_over == (("need the GPU driver", 1),)


def test_what_another_distribution_brings_is_there_once_that_is_loaded() -> None:
    file = native("cv2/_C.so", missing=(lacks("libtorch.so", "cv2/_C.so", f"{SITE}/torch/lib/libtorch.so"),))
    judgement = judged(file)
    assert not judgement.faults
    assert judgement.passed_over == (("load only after other libraries of the image", 1),)


NOT_LOADED = {
    "of another Python": ({"path": f"{SITE}/cv2/x.cpython-39-x86_64-linux-gnu.so"}, "are for another Python"),
    "of another machine": ({"machine": "aarch64"}, "are for another machine"),
    "of 32 bits": ({"bits": 32, "machine": "i386"}, "are for another machine"),
}


@pytest.mark.parametrize(("more", "reason"), NOT_LOADED.values(), ids=NOT_LOADED)
def test_a_file_that_is_never_loaded_is_counted_and_not_examined(more: dict[str, object], reason: str) -> None:
    file = native("cv2/x.so", missing=(lacks("libGL.so.1", "cv2/x.so"),)).model_copy(update=more)
    judgement = judged(file)
    assert (judgement.examined, judgement.faults, judgement.passed_over) == (0, (), ((reason, 1),))


def test_a_plugin_beside_files_that_load_is_a_note() -> None:
    plugin = native("cv2/libplugin.so", missing=(lacks("libmlx5.so.1", "cv2/libplugin.so"),))
    assert the_fault(judged(plugin, native("cv2/core.so"))).note


def test_the_only_library_of_a_distribution_is_no_plugin() -> None:
    only = native("lightgbm/lib_lightgbm.so", missing=(lacks("libgomp.so.1", "lightgbm/lib_lightgbm.so"),))
    fault = the_fault(judged(only, of=(dist("lightgbm 4.3.0"),)))
    assert "libgomp1" in fault.remedy
    assert not fault.note


def test_a_library_that_registers_operators_is_no_plugin() -> None:
    ops = native("cv2/_C.so", "libtorch.so", missing=(lacks("libcudart.so.12", "cv2/_C.so"),))
    fault = the_fault(judged(ops, native("cv2/core.so")))
    assert "nvidia-cuda-runtime-cu12" in fault.remedy
    assert not fault.note


def test_a_library_that_others_need_is_no_plugin() -> None:
    inner = native("cv2/libinner.so", missing=(lacks("libGL.so.1", "cv2/libinner.so"),))
    assert not the_fault(judged(inner, native("cv2/core.so", "libinner.so"))).note


def test_a_plugin_that_an_import_fails_for_breaks() -> None:
    plugin = native("cv2/libplugin.so", missing=(lacks("libmlx5.so.1", "cv2/libplugin.so"),))
    error = raises("OSError: libmlx5.so.1: cannot open shared object file: No such file", at("cv2/__init__.py"))
    judgement = judged(plugin, native("cv2/core.so"), modules=(module("cv2", "cv2", error),))
    assert not the_fault(judgement).note


def test_a_module_whose_package_goes_on_without_it_is_a_note() -> None:
    pool = native(
        "cv2/tbbpool.so", module="cv2.tbbpool", guarded=True, missing=(lacks("libtbb.so.12", "cv2/tbbpool.so"),)
    )
    assert the_fault(judged(pool)).note


def test_a_program_breaks_only_on_path() -> None:
    beside = native("cv2/tool", program=True, missing=(lacks("libGL.so.1", "cv2/tool"),))
    on_path = native(
        "/opt/venv/bin/tool", program=True, distribution="cv2", missing=(lacks("libGL.so.1", "/opt/venv/bin/tool"),)
    )
    assert the_fault(judged(beside, native("cv2/core.so"))).note
    assert not the_fault(judged(on_path, native("cv2/core.so"))).note


def test_a_file_of_a_named_folder_stands_for_itself() -> None:
    own = native("/opt/app/own.so", distribution="", missing=(lacks("libfoo.so.1", "/opt/app/own.so"),))
    fault = the_fault(judged(own))
    assert fault.subject == "own.so -> libfoo.so.1"
    assert "the system package or the wheel that has libfoo.so.1" in fault.remedy


def test_a_file_that_cannot_be_read_is_unverified() -> None:
    fault = the_fault(judged(native("cv2/x.so", problem="it is cut off or damaged: …")))
    assert fault.unverified
    assert fault.subject == "cv2 -> x.so"


def test_a_module_that_the_sweep_saw_its_package_go_without_is_optional() -> None:
    files = (BROKEN, native("cv2/good.so"))
    known = facts(CV, modules=(), native=natives(*files))
    tried = LoadTry(
        module="cv2",
        path=BROKEN.path,
        distribution="cv2",
        extension=True,
        error="libGL.so.1: cannot open shared object file",
    )
    for one, note in ((tried, True), (tried.model_copy(update={"extension": False}), False)):
        seen = known.model_copy(update={"loads": LoadFacts(tries=(one,))})
        assert the_fault(judge(a_contract(native=True), seen)).note is note

from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.clashing_imports import judge
from imgcheck.diagnosis.company import MOST, company_of, front_module
from imgcheck.diagnosis.half_loaded import half_loads
from imgcheck.facts.together import FailedTogether, Searched, TogetherFacts, TogetherRun, Written
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract, dist, facts, module, raises

NAMES = ("cv2", "pandas", "torch")
SYMBOL = FailedTogether(module="torch", type="ImportError", message="libc10.so: undefined symbol: zz", trace="here")
AFTER_CV2 = Searched(module="torch", alone=False, partner="cv2", pair=True)
DISTRIBUTIONS = (dist("opencv-python 4", modules=["cv2"]), dist("torch 2.4", modules=["torch"]))


def run(order: tuple[str, ...] = NAMES, **more: Any) -> TogetherRun:
    return TogetherRun.model_validate({"order": order, "began": len(order), "ended": "done", **more})


def judged(*runs: TogetherRun, **options: Any) -> Judgement:
    contract = a_contract(imports=options or True)
    return judge(contract, facts(*DISTRIBUTIONS, modules=[], together=TogetherFacts(runs=runs)))


def test_modules_that_get_on_in_both_orders_are_kept() -> None:
    judgement = judged(run(), run(NAMES[::-1]))
    assert (judgement.examined, judgement.unit, judgement.faults) == (3, "modules", ())


def test_a_module_that_fails_after_another_names_both() -> None:
    (fault,) = judged(run(failures=(SYMBOL,), searched=(AFTER_CV2,)), run(NAMES[::-1])).faults
    assert fault.subject == "torch"
    assert fault.summary == "torch fails, imported after cv2: ImportError: libc10.so: undefined symbol: zz"
    assert "torch and opencv-python made for one another" in fault.remedy
    assert fault.evidence == "here"
    assert not fault.note


def test_several_that_are_needed_are_said_to_be() -> None:
    several = AFTER_CV2.model_copy(update={"pair": False})
    (fault,) = judged(run(failures=(SYMBOL,), searched=(several,))).faults
    assert "imported after cv2 and others" in fault.summary
    (fault,) = judged(run(failures=(SYMBOL,))).faults
    assert "imported with the others" in fault.summary


def test_what_fails_later_in_the_same_process_hangs_on_the_first() -> None:
    pandas = FailedTogether(module="pandas", type="ImportError", message="half there")
    (fault,) = judged(run(failures=(pandas, SYMBOL), searched=(Searched(module="pandas", alone=False),))).faults
    assert (fault.subject, fault.details) == ("pandas", ("pandas", "torch"))


ENDINGS = {
    "a signal": ({"ended": "signal", "at": "torch", "signal": 11}, "ended by SIGSEGV"),
    "a status": ({"ended": "exit", "at": "torch", "exit_code": 3}, "ended with status 3"),
    "a hang": ({"ended": "timeout", "at": "torch"}, "did not end in time"),
}


@pytest.mark.parametrize(("ending", "words"), ENDINGS.values(), ids=ENDINGS)
def test_the_end_of_the_process_is_told(ending: dict[str, Any], words: str) -> None:
    output = (Written(module="torch", text="Fatal Python error"),)
    (fault,) = judged(run(searched=(AFTER_CV2,), output=output, **ending)).faults
    assert fault.subject == "torch"
    assert words in fault.summary
    assert fault.evidence == "Fatal Python error"


def test_a_crash_when_all_is_done_has_no_module() -> None:
    (fault,) = judged(run(ended="signal", signal=6)).faults
    assert fault.subject == "the end of the process"


def test_the_same_clash_in_both_orders_is_told_once() -> None:
    failing: dict[str, Any] = {"failures": (SYMBOL,), "searched": (AFTER_CV2,)}
    assert len(judged(run(**failing), run(NAMES[::-1], **failing)).faults) == 1


def test_what_fails_alone_is_another_check_s_unless_it_is_named() -> None:
    alone = run(failures=(SYMBOL,), searched=(Searched(module="torch", alone=True),))
    judgement = judged(alone)
    assert (judgement.examined, judgement.faults) == (2, ())
    assert judgement.passed_over == (("fail alone as well: see unimportable-module", 1),)
    (fault,) = judged(alone, together=list(NAMES)).faults
    assert fault.expected == "importable (imports.together)"
    assert "take it out of imports.together" in fault.remedy


def test_a_half_broken_load_is_noted_though_nothing_fails() -> None:
    text = "hello\nA module that was compiled using NumPy 1.x cannot be run in NumPy 2.1"
    written = run(output=(Written(module="torch", text=text),))
    (fault,) = judged(written, written).faults
    assert fault.note
    assert fault.summary.startswith("Importing torch with others raises nothing and says: A module that was compiled")
    assert fault.actual == "compiled for NumPy 1, loaded with NumPy 2"


def test_a_half_broken_load_that_happens_alone_is_said_to() -> None:
    line = "_ARRAY_API not found"
    known = facts(
        modules=[module("torch", "torch", stderr=line)],
        together=TogetherFacts(runs=(run(output=(Written(module="torch", text=line),)),)),
    )
    assert judge(a_contract(imports=True), known).faults[0].summary.startswith("Importing torch alone")


def test_a_missing_gpu_driver_is_no_half_broken_load() -> None:
    driver = "Could not load library: libcuda.so.1: cannot open shared object file: No such file or directory"
    assert not list(half_loads(driver))
    assert list(half_loads(driver.replace("libcuda", "libmpi")))


def test_without_modules_nothing_is_examined() -> None:
    assert judged().examined == 0


# Which modules -------------------------------------------------------------------------------------------------------


def test_the_contract_s_modules_are_taken_in_its_order() -> None:
    contract = a_contract(imports={"together": ["torch", "cv2", "torch"]})
    assert company_of(contract, facts().inventory, None).names == ("torch", "cv2")


def test_what_was_asked_for_by_name_is_taken_where_it_can_be_imported() -> None:
    known = facts(
        dist("torch 2", modules=["torch", "torchgen"], requested=True),
        dist("pillow 11", modules=["PIL", "PIL.Image"], requested=True),
        dist("numpy 2", modules=["numpy"]),
        dist("broken 1", modules=["broken"], requested=True),
        dist("excluded 1", modules=["excluded"], requested=True),
        modules=[module("broken", "broken", raises("ImportError: x"))],
    )
    contract = a_contract(imports={"exclude": ["excluded"]})
    assert company_of(contract, known.inventory, known.imports).names == ("PIL", "torch")


def test_where_nothing_is_marked_all_are_taken_and_too_many_are_counted() -> None:
    many = [dist(f"part{number:02} 1", modules=[f"part{number:02}"]) for number in range(MOST + 2)]
    root = dist("a-root 1", "part00", modules=["a_root"])
    company = company_of(a_contract(imports=True), facts(*many, root).inventory, None)
    assert len(company.names) == MOST
    assert company.left_out == 3
    assert {"part01", "a_root"} <= set(company.names)
    assert "part00" not in company.names  # another one requires it


def test_the_tools_of_builds_are_left_out() -> None:
    commands = [{"group": "distutils.commands", "name": "bdist_wheel", "value": "wheel:bdist_wheel"}]
    tool = dist("setuptools 66", modules=["setuptools"], requested=True, entry_points=commands)
    known = facts(tool, dist("torch 2", modules=["torch"], requested=True))
    assert company_of(a_contract(imports=True), known.inventory, None).names == ("torch",)
    asked = a_contract(imports={"together": ["setuptools", "torch"]})
    assert company_of(asked, known.inventory, None).names == ("setuptools", "torch")


def test_variants_of_a_distribution_share_their_module() -> None:
    assert front_module(dist("opencv-contrib-python 4", modules=["zz_helper", "cv2"])) == "cv2"


def test_the_front_module_is_public_and_named_like_its_distribution() -> None:
    setuptools = dist("setuptools 75", modules=["_distutils_hack", "pkg_resources", "setuptools", "setuptools.dist"])
    assert front_module(setuptools) == "setuptools"
    protobuf = dist("protobuf 5", modules=[("google", "namespace", "module"), ("google.protobuf", "package", "module")])
    assert front_module(protobuf) == "google.protobuf"
    assert not front_module(dist("data 1"))

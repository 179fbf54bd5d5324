from __future__ import annotations

import pytest

from imgcheck.checks.exiting_import import judge
from tests.checks.build_facts import a_contract, facts, link, module, raises

ASKED = a_contract(imports=True)


def test_a_module_that_lets_the_program_go_on_is_kept() -> None:
    assert not judge(ASKED, facts(modules=[module("a", "a")])).faults


@pytest.mark.parametrize("code", [0, 1, None])
def test_a_module_that_exits_is_a_fault(code: int | None) -> None:
    exits = module("lib.setup", "lib", status="exit", exit_code=code, stderr="CUDA_HOME is not set")
    (fault,) = judge(ASKED, facts(modules=[exits])).faults
    assert fault.summary == "lib.setup of lib exits the program that imports it"
    assert fault.actual == f"exit with {'an unknown status' if code is None else f'status {code}'}"
    assert fault.evidence == "CUDA_HOME is not set"
    assert not fault.note


@pytest.mark.parametrize("code", [0, 2])
def test_a_script_that_reads_its_arguments_is_a_note(code: int) -> None:
    script = module("ray.examples.a", "ray", status="exit", exit_code=code, stderr="usage: zygote.py [-h] file\n")
    (fault,) = judge(ASKED, facts(modules=[script])).faults
    assert fault.note


def test_a_script_that_reads_its_arguments_may_say_so_in_its_own_words() -> None:
    script = module("rdkit.Contrib.fraggle", "rdkit", status="exit", exit_code=1, reads_arguments=True)
    (fault,) = judge(ASKED, facts(modules=[script])).faults
    assert fault.note
    assert "is a script that reads its arguments when it is imported" in fault.summary


def test_a_program_may_end() -> None:
    judgement = judge(ASKED, facts(modules=[module("a", "a"), module("a.__main__", "a", status="exit", exit_code=0)]))
    assert (judgement.examined, judgement.faults) == (1, ())
    assert judgement.passed_over == (("are programs, which may end", 1),)


def test_a_module_that_gives_up_without_an_optional_one_is_a_note() -> None:
    gave_up = raises("SystemExit: install it with [cli]", chain=[link("ModuleNotFoundError: no", name="click")])
    (fault,) = judge(ASKED, facts(modules=[module("lib.cli", "lib", gave_up, status="exit", exit_code=1)])).faults
    assert fault.note
    assert fault.summary == "lib.cli of lib exits the program that imports it, since it finds no click"

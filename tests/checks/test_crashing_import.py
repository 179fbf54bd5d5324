from __future__ import annotations

from imgcheck.checks.crashing_import import judge
from tests.checks.build_facts import a_contract, dist, facts, module

ASKED = a_contract(imports=True)
FAISS = dist("faiss-cpu 1.8", modules=["faiss"])


def test_modules_that_leave_their_process_alive_are_kept() -> None:
    judgement = judge(ASKED, facts(FAISS, modules=[module("faiss", "faiss-cpu")]))
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "modules", ())


def test_a_signal_is_told_with_what_hangs_on_it() -> None:
    crash = module("faiss", "faiss-cpu", status="signal", signal=4, stderr="Illegal instruction")
    below = module("faiss.contrib", "faiss-cpu", status="signal", inherited_from="faiss")
    (fault,) = judge(ASKED, facts(FAISS, modules=[below, crash])).faults
    assert fault.summary == ("Importing faiss of faiss-cpu was ended by SIGILL (an instruction that this CPU lacks)")
    assert fault.details == ("faiss", "faiss.contrib")
    assert fault.evidence == "Illegal instruction"
    assert "Choose a build of faiss-cpu" in fault.remedy


def test_too_much_memory_names_the_setting() -> None:
    (fault,) = judge(ASKED, facts(modules=[module("a", "a", status="memory")])).faults
    assert fault.actual == "took more memory than it may"
    assert "imports.memory" in fault.remedy


def test_a_lost_answer_is_not_verified() -> None:
    (fault,) = judge(ASKED, facts(modules=[module("a", "a", status="lost")])).faults
    assert fault.unverified


def test_excluded_modules_are_counted() -> None:
    contract = a_contract(imports={"exclude": ["a.*"]})
    judgement = judge(contract, facts(modules=[module("a", "a"), module("a.b", "a", status="signal", signal=11)]))
    assert (judgement.examined, judgement.faults) == (1, ())
    assert judgement.passed_over == (("excluded by the contract", 1),)


def test_an_unknown_signal_keeps_its_number() -> None:
    (fault,) = judge(ASKED, facts(modules=[module("a", "a", status="signal", signal=40)])).faults
    assert fault.actual == "was ended by signal 40"

from __future__ import annotations

from imgcheck.checks.hanging_import import judge
from tests.checks.build_facts import a_contract, facts, module


def test_a_module_that_ends_in_time_is_kept() -> None:
    assert not judge(a_contract(imports=True), facts(modules=[module("a", "a")])).faults


def test_a_module_that_does_not_end_is_told_with_the_contracts_time() -> None:
    contract = a_contract(imports={"timeout": 30})
    stuck = module("lib.client", "lib", status="timeout", stderr="waiting for metadata.google.internal")
    (fault,) = judge(contract, facts(modules=[module("lib", "lib"), stuck])).faults
    assert fault.summary == "Importing lib.client of lib did not end within 30 s"
    assert fault.expected == "imported within 30 s (imports.timeout)"
    assert "metadata.google.internal" in fault.evidence
    assert "imports.timeout" in fault.remedy


def test_a_script_that_reads_its_arguments_is_a_note() -> None:
    setup = module("lib.setup", "lib", status="timeout", reads_arguments=True)
    (fault,) = judge(a_contract(imports=True), facts(modules=[module("lib", "lib"), setup])).faults
    assert fault.note
    assert fault.summary.endswith("within 60 s: it is a script that reads its arguments when it is imported")

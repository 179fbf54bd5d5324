from __future__ import annotations

from imgcheck.checks.untrue_answer import CHECK
from imgcheck.facts.model import Facts
from imgcheck.facts.outside_model import OutsideDistribution, OutsideFacts
from imgcheck.outcome import Fault
from tests.checks.build_facts import SITE, a_contract, dist, facts
from tests.checks.build_files import file_facts, listed


def held(label: str, **more: object) -> OutsideDistribution:
    name, _, version = label.partition(" ")
    told = {
        "metadata_path": f"{SITE}/{name}-{version}.dist-info",
        "name": name,
        "version": version,
        "listed": 9,
        "record_digest": "",
    }
    return OutsideDistribution.model_validate({**told, **more})


def judged(outside: OutsideFacts, *labels: str, of: Facts | None = None) -> tuple[Fault, ...]:
    seen = (of or facts(*map(dist, labels))).model_copy(update={"outside": outside})
    return CHECK.judge(a_contract(), seen).faults


def test_what_both_tell_is_no_fault() -> None:
    assert judged(OutsideFacts(distributions=(held("numpy 2.1.0"),)), "numpy 2.1.0") == ()


def test_another_version_in_the_layers_names_both() -> None:
    other = held("numpy 1.26.0", metadata_path=f"{SITE}/numpy-2.1.0.dist-info")
    (fault,) = judged(OutsideFacts(distributions=(other,)), "numpy 2.1.0")
    assert (fault.subject, fault.expected, fault.actual) == ("numpy", "numpy 1.26.0", "numpy 2.1.0")


def test_what_the_layers_do_not_hold() -> None:
    (fault,) = judged(OutsideFacts(), "numpy 2.1.0")
    assert "its layers hold nothing of it" in fault.summary


def test_what_python_hides_is_found_in_the_interpreters_folders() -> None:
    (fault,) = judged(OutsideFacts(hidden=(held("protobuf 3.20.1"),)))
    assert "protobuf 3.20.1" in fault.summary


def test_another_record() -> None:
    (fault,) = judged(OutsideFacts(distributions=(held("numpy 2.1.0", record_digest="sha256:x"),)), "numpy 2.1.0")
    assert "by a list with another content" in fault.summary


def test_a_script_in_pythons_place() -> None:
    (fault,) = judged(OutsideFacts(python="/usr/bin/python3", script=True))
    assert fault.subject == "/usr/bin/python3"


def test_what_is_mounted_is_passed_over() -> None:
    path = f"{SITE}/numpy-2.1.0.dist-info"
    seen = facts(dist("numpy 2.1.0")).model_copy(update={"outside": OutsideFacts(mounted=(path,))})
    judgement = CHECK.judge(a_contract(), seen)
    assert (judgement.faults, judgement.passed_over) == ((), (("in what is mounted while the image runs", 1),))


def test_a_changed_file_that_nobody_told() -> None:
    there = held("numpy 2.1.0", differing=("numpy/core.py",), differing_count=1)
    numpy = dist("numpy 2.1.0")
    (fault,) = judged(OutsideFacts(distributions=(there,)), of=file_facts(numpy, owners=(listed(numpy),)))
    assert "numpy/core.py" in fault.evidence

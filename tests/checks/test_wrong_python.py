from __future__ import annotations

import pytest

from imgcheck.checks.wrong_python import CHECK, judge
from tests.checks.build_facts import a_contract, facts, python


@pytest.mark.parametrize("wanted", ["3.11", "3.11.7"])
def test_the_version_that_is_asked_for_is_kept(wanted: str) -> None:
    assert not judge(a_contract(python=wanted), facts()).faults


@pytest.mark.parametrize("version", ["3.1.7", "3.12.0", "3.110.1"])
def test_another_minor_version_is_wrong(version: str) -> None:
    (fault,) = judge(a_contract(python="3.11"), facts(interpreter=python(version))).faults
    assert fault.summary == f"The image's Python is {version} (/opt/venv/bin/python), the contract says 3.11"


def test_another_patch_is_wrong_only_where_it_is_asked_for() -> None:
    (fault,) = judge(a_contract(python="3.11.9"), facts()).faults
    assert (fault.expected, fault.actual) == ("3.11.9", "3.11.7")


def test_a_path_is_no_version() -> None:
    assert not CHECK.applies(a_contract(python="/opt/conda/bin/python"))
    assert CHECK.applies(a_contract(python="3.11"))

from __future__ import annotations

import pytest

from imgcheck.checks.moved_os_package import judge
from imgcheck.facts.os_packages import OsPackages
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract, facts

DEBIAN = OsPackages(manager="dpkg", packages=(("libc6", "2.36-9+deb12u9"), ("libnccl2", "2.23.4-1+cuda12.6")))


def judged(found: OsPackages = DEBIAN, **promised: str) -> Judgement:
    return judge(a_contract(os_packages=promised), facts(os_packages=found))


@pytest.mark.parametrize("wanted", ["2.36-9+deb12u9", "2.36-*", "installed", "*"])
def test_a_package_at_the_promised_version_is_kept(wanted: str) -> None:
    judgement = judged(libc6=wanted)
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "OS packages", ())


@pytest.mark.parametrize("wanted", ["2.36", "2.3*-1", "2.37-*"])
def test_another_version_breaks(wanted: str) -> None:
    assert judged(libc6=wanted).faults


def test_a_moved_package_tells_both_versions_and_how_to_hold_it() -> None:
    (fault,) = judged(libnccl2="2.21.5-1+cuda12.4").faults
    assert fault.summary == ("The OS package libnccl2 is at 2.23.4-1+cuda12.6, the contract promises 2.21.5-1+cuda12.4")
    assert "apt-mark hold libnccl2" in fault.remedy


def test_a_missing_package_breaks() -> None:
    (fault,) = judged(libcudnn9="9.1.*").faults
    assert fault.actual == "not installed"


@pytest.mark.parametrize(
    "found", [OsPackages(manager=""), OsPackages(manager="rpm", problem="rpm ended with status 3")]
)
def test_without_a_database_it_is_unverified(found: OsPackages) -> None:
    judgement = judged(found, libc6="2.36")
    assert judgement.examined == 0
    assert judgement.faults[0].unverified

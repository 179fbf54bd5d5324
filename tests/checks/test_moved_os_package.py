from __future__ import annotations

import pytest

from imgcheck.checks.moved_os_package import CHECK, judge
from imgcheck.diagnosis.stack_packages import part_of_stack
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


BASE = OsPackages(
    manager="dpkg",
    packages=(
        ("libc6", "2.36-9+deb12u9"),
        ("libcudnn9-cuda-12", "9.1.0.70-1"),
        ("libnccl2", "2.21.5-1+cuda12.4"),
        ("wget", "1.21.3-1+b2"),
    ),
)
FLEET = {"base": {"image": "base:1"}, "gpu": {"capabilities": ["9.0"]}}


def beside_base(*packages: tuple[str, str], **promised: str) -> Judgement:
    found = facts(os_packages=OsPackages(manager="dpkg", packages=packages))
    return judge(a_contract(os_packages=promised, **FLEET), found.model_copy(update={"base_os_packages": BASE}))


def test_it_is_asked_for_by_a_promise_or_by_a_fleet_with_a_base() -> None:
    assert CHECK.applies(a_contract(os_packages={"git": "installed"}))
    assert CHECK.applies(a_contract(**FLEET))
    assert not CHECK.applies(a_contract(gpu=FLEET["gpu"]))


def test_a_stack_as_the_base_has_it_is_kept_and_other_packages_may_move() -> None:
    judgement = beside_base(*BASE.packages[:3], ("wget", "2"), ("cuda-cudart-12-6", "12.6.77-1"))
    assert (judgement.examined, judgement.faults) == (3, ())


def test_a_moved_part_of_the_stack_breaks_without_a_promise() -> None:
    (fault,) = beside_base(*BASE.packages[:2], ("libnccl2", "2.23.4-1+cuda12.6")).faults
    assert fault.summary == "The OS package libnccl2 (NCCL) is at 2.23.4-1+cuda12.6; the base has 2.21.5-1+cuda12.4"
    assert (fault.baseline, fault.note) == ("2.21.5-1+cuda12.4", False)
    assert "os_packages: {libnccl2: 2.23.4-1+cuda12.6}" in fault.remedy


def test_what_is_promised_by_name_is_the_promises_matter() -> None:
    judgement = beside_base(*BASE.packages[:2], ("libnccl2", "2.23.4-1+cuda12.6"), libnccl2="2.23.*")
    assert (judgement.examined, judgement.faults) == (3, ())


def test_an_update_of_the_c_library_is_a_note_and_its_loss_is_none() -> None:
    rest = BASE.packages[1:]
    assert [one.note for one in beside_base(("libc6", "2.36-9+deb12u10"), *rest).faults] == [True]
    assert [one.note for one in beside_base(*rest).faults] == [False]


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("cuda-cudart-12-4", "CUDA"),
        ("libcublas-12-4", "CUDA"),
        ("libcudnn8", "cuDNN"),
        ("libnccl", "NCCL"),
        ("glibc", "C library"),
        ("musl", "C library"),
        ("libstdc++", "C++ library"),
        ("libcublas-dev-12-4", ""),
        ("libcudart11.0", ""),
        ("libc6-dev", ""),
    ],
)
def test_parts_of_the_stack_by_the_names_of_dpkg_rpm_and_apk(name: str, part: str) -> None:
    assert part_of_stack(name) == part

from __future__ import annotations

import pytest

from imgcheck.checks.moved_pin import judge
from tests.checks.build_facts import a_contract, dist, facts

BASE = dist("protobuf 3.20.1", modules=["google.protobuf"])
CULPRIT = dist("tensorboardx 2.5.1", "protobuf<=3.20.1,>=3.8.0")
DASHBOARD = dist("opentelemetry-proto 1.27.0", "protobuf<6,>=4.25")


def test_a_version_that_the_pin_allows_is_kept() -> None:
    judgement = judge(a_contract(pins={"protobuf": "3.20.1", "Numpy": ">=1.26,<2"}), facts(BASE, dist("numpy 1.26.4")))
    assert (judgement.examined, judgement.unit, judgement.faults) == (2, "pins", ())


def test_a_pin_that_was_moved_down_names_the_requirement_that_forced_it() -> None:
    (fault,) = judge(a_contract(pins={"protobuf": "4.25.3"}), facts(BASE, CULPRIT)).faults
    assert fault.summary == "protobuf moved down: 3.20.1 is installed, the contract pins 4.25.3"
    assert fault.cause.requirement == "tensorboardx 2.5.1 requires protobuf<=3.20.1,>=3.8.0"
    assert "Choose a version of tensorboardx that accepts protobuf 4.25.3" in fault.remedy
    assert (fault.expected, fault.actual) == ("4.25.3", "3.20.1")


def test_a_requirement_that_the_pin_could_meet_as_well_is_no_culprit() -> None:
    lenient = dist("wandb 0.17", "protobuf<6,>=3.12")
    (fault,) = judge(a_contract(pins={"protobuf": "4.25.3"}), facts(BASE, lenient)).faults
    assert not fault.cause.requirement
    assert "constraints" in fault.remedy


def test_a_requirement_behind_an_unused_extra_is_no_culprit() -> None:
    optional = dist("wandb 0.17", "protobuf<4; extra == 'old'")
    (fault,) = judge(a_contract(pins={"protobuf": "4.25.3"}), facts(BASE, optional)).faults
    assert not fault.cause.requirement


def test_what_was_added_is_blamed_before_what_the_contract_pins() -> None:
    pinned = dist("a-base-tool 1.0", "protobuf<4")
    contract = a_contract(pins={"protobuf": "4.25.3", "a-base-tool": "1.0"})
    (fault,) = judge(contract, facts(BASE, pinned, CULPRIT)).faults
    assert fault.cause.requirement.startswith("tensorboardx")


def test_those_that_the_move_broke_are_told() -> None:
    (fault,) = judge(a_contract(pins={"protobuf": "4.25.3"}), facts(BASE, CULPRIT, DASHBOARD)).faults
    assert "opentelemetry-proto 1.27.0 requires protobuf<6,>=4.25: 3.20.1 does not meet it" in fault.evidence


@pytest.mark.parametrize(
    ("pin", "installed", "requires"),
    [
        pytest.param(">=1.26,<2", "2.1.3", "numpy>=2", id="above an upper bound"),
        pytest.param("==1.26.*", "1.25.2", "numpy<1.26", id="below a prefix"),
        pytest.param(">1.26", "1.26", "numpy<=1.26", id="beside an open bound"),
    ],
)
def test_a_range_that_no_common_version_satisfies_is_forced(pin: str, installed: str, requires: str) -> None:
    numpy, added = dist(f"numpy {installed}"), dist("opencv 4.12", requires)
    (fault,) = judge(a_contract(pins={"numpy": pin}), facts(numpy, added)).faults
    assert fault.cause.requirement.startswith("opencv 4.12 requires numpy")


@pytest.mark.parametrize(
    ("pin", "installed", "kept"),
    [
        pytest.param("2.13.0", "2.13.0+cpu", True, id="a pin without local allows any build"),
        pytest.param("2.13.0+cu124", "2.13.0+cpu", False, id="a pin with local demands it"),
        pytest.param("2.13.0+cu124", "2.13.0", False, id="a pin with local refuses none"),
        pytest.param(">=2.0", "2.1rc1", True, id="a pre-release counts"),
    ],
)
def test_local_versions_and_pre_releases(pin: str, installed: str, kept: bool) -> None:
    faults = judge(a_contract(pins={"torch": pin}), facts(dist(f"torch {installed}"))).faults
    assert (not faults) is kept
    if faults:
        assert "is another build" in faults[0].summary


def test_the_first_on_the_path_counts() -> None:
    judgement = judge(a_contract(pins={"protobuf": "4.25.3"}), facts(dist("protobuf 4.25.3"), BASE))
    assert not judgement.faults


def test_a_missing_pin_is_not_counted_as_kept() -> None:
    judgement = judge(a_contract(pins={"protobuf": "3.20.1", "numpy": "1"}), facts(BASE))
    assert judgement.examined == 1
    assert judgement.passed_over == (("not installed: see missing-pin", 1),)


def test_a_version_that_is_none_is_not_verified() -> None:
    (fault,) = judge(a_contract(pins={"attrs": "23.2.0"}), facts(dist("attrs 23ubuntu1-x"))).faults
    assert fault.unverified

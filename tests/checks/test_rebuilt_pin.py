from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.rebuilt_pin import judge
from imgcheck.facts.model import Distribution
from tests.checks.build_facts import a_contract, dist, facts

RECORD = "sha256:" + "a" * 64
OTHER = "sha256:" + "b" * 64
PROTECT = a_contract(protect=["torch"])


def torch(version: str = "2.6.0a0+ecf3bae40a", **more: Any) -> Distribution:
    given = {
        "record_digest": RECORD,
        "installer": "pip",
        "installed_at": 9,
        "wheel_tags": ("cp311-cp311-linux_x86_64",),
    }
    return dist(f"torch {version}", **{**given, **more})


def test_the_base_s_own_build_is_kept() -> None:
    judgement = judge(PROTECT, facts(torch(), base=[torch()]))
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "protected distributions", ())


@pytest.mark.parametrize(
    ("there", "here", "summary"),
    [
        pytest.param(
            torch(), torch("2.6.0", record_digest=OTHER), "was replaced by torch 2.6.0", id="a-release-of-the-index"
        ),
        pytest.param(
            torch("2.6.0+cu124"),
            torch("2.6.0+cpu", record_digest=OTHER),
            "torch 2.6.0+cu124 of the base was replaced by another build, 2.6.0+cpu",
            id="cpu-for-gpu",
        ),
        pytest.param(
            torch("2.6.0+cu124"), torch("2.6.0", record_digest=OTHER), "another build, 2.6.0", id="no-local-version"
        ),
        pytest.param(
            torch(), torch(record_digest=OTHER), "has the base's version, and is another build", id="same-name"
        ),
        pytest.param(torch(), torch(wheel_tags=("py3-none-any",)), "another build of it", id="tags"),
    ],
)
def test_another_build_is_told(there: Distribution, here: Distribution, summary: str) -> None:
    (fault,) = judge(PROTECT, facts(here, base=[there])).faults
    assert summary in fault.summary
    assert fault.blame == ("torch",)
    assert not fault.unverified
    assert not fault.note


def test_the_same_files_installed_again_are_worth_a_note() -> None:
    again = torch(installer="uv", direct_url='{"url": "https://x/torch.whl"}', installed_at=12)
    (fault,) = judge(PROTECT, facts(again, base=[torch()])).faults
    assert fault.note
    assert "origin: https://x/torch.whl, in the base an index" in fault.actual


def test_what_has_no_record_is_the_same_only_while_untouched() -> None:
    bare = torch(record_digest="", installer="conda")
    assert not judge(PROTECT, facts(bare, base=[bare])).faults
    (fault,) = judge(PROTECT, facts(torch(record_digest="", installed_at=12), base=[bare])).faults
    assert fault.unverified


def test_what_cannot_be_compared_is_unverified() -> None:
    for base in (None, [dist("numpy 1")]):
        (fault,) = judge(PROTECT, facts(torch(), base=base)).faults
        assert fault.unverified


def test_a_protected_distribution_that_is_gone() -> None:
    (fault,) = judge(PROTECT, facts(base=[torch()])).faults
    assert fault.actual == "not installed"


def test_what_other_checks_tell_is_not_told_twice() -> None:
    pinned = a_contract(protect=["torch", "torch"], pins={"torch": "2.6.0a0+ecf3bae40a"})
    judgement = judge(pinned, facts(torch("2.5.0"), base=[torch()]))
    assert (judgement.examined, judgement.faults) == (0, ())
    assert judgement.passed_over == (("moved or missing: see moved-pin and missing-pin", 1),)

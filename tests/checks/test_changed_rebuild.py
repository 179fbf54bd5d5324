from __future__ import annotations

import pytest

from imgcheck.checks.changed_rebuild import judge
from imgcheck.facts.model import Distribution
from imgcheck.facts.rebuild import RebuildFacts, RebuiltOne
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract, dist, facts

CONTRACT = a_contract(protect=["torch"])


def judged(*first: Distribution, second: tuple[RebuiltOne, ...] = (), problem: str = "") -> Judgement:
    rebuild = RebuildFacts(distributions=second, problem=problem)
    return judge(CONTRACT, facts(*first).model_copy(update={"rebuild": rebuild}))


def test_the_same_again_is_kept() -> None:
    judgement = judged(dist("six 1"), second=(RebuiltOne(name="Six", version="1"),))
    assert (judgement.examined, judgement.faults) == (1, ())


def test_a_new_release_appeared() -> None:
    (fault,) = judged(dist("six 1.16.0"), second=(RebuiltOne(name="six", version="1.17.0"),)).faults
    assert fault.summary == "A second build gives six 1.17.0, the first 1.16.0"
    assert fault.blame == ("six",)


def test_what_comes_and_goes() -> None:
    told = judged(dist("a 1"), second=(RebuiltOne(name="b", version="2"),)).faults
    assert [fault.summary for fault in told] == ["A second build is without a 1", "A second build brings b 2"]


def test_a_resolution_tells_only_of_what_it_chose() -> None:
    rebuild = RebuildFacts(
        kind="resolve",
        distributions=(RebuiltOne(name="six", version="1.17.0"), RebuiltOne(name="new", version="1")),
        left_out=("Dockerfile:4: conda",),
    )
    base = facts(dist("numpy 1.26.4")).inventory
    found = facts(dist("six 1.16.0"), dist("numpy 1.26.4"), dist("other 1"))
    judgement = judge(CONTRACT, found.model_copy(update={"rebuild": rebuild, "base": base}))
    assert [fault.summary for fault in judgement.faults] == [
        "A fresh resolution brings new 1",
        "A fresh resolution gives six 1.17.0, the image has 1.16.0",
    ]
    assert judgement.passed_over == (
        ("not in the resolution: other ways brought them", 1),
        ("install steps, or parts of them, that were not resolved", 1),
    )
    same = rebuild.model_copy(update={"distributions": (RebuiltOne(name="six", version="1.16"),)})
    assert not judge(CONTRACT, found.model_copy(update={"rebuild": same})).faults


def test_other_files_count_for_what_is_protected() -> None:
    second = tuple(RebuiltOne(name=name, version="1", record_digest="sha256:b") for name in ("six", "torch"))
    first = [dist(f"{name} 1", record_digest="sha256:a") for name in ("six", "torch")]
    (fault,) = judged(*first, second=second).faults
    assert fault.subject == "torch"


def test_a_second_build_that_failed_is_not_a_pass() -> None:
    (fault,) = judged(dist("a 1"), problem="the second build could not be had: x").faults
    assert fault.unverified


@pytest.mark.parametrize(("first", "second"), [("sha256:a", ""), ("", "sha256:a"), ("", "")])
def test_files_of_what_is_protected_are_not_taken_for_the_same_without_a_record(first: str, second: str) -> None:
    again = RebuiltOne(name="torch", version="1", record_digest=second)
    (fault,) = judged(dist("torch 1", record_digest=first), second=(again,)).faults
    assert fault.unverified

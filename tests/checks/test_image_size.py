from __future__ import annotations

from imgcheck.checks.image_size import CHECK, judge
from tests.checks.build_facts import a_contract, facts


def test_it_is_asked_for_by_max_size() -> None:
    assert not CHECK.applies(a_contract())
    assert CHECK.applies(a_contract(image={"max_size": "15GB"}))


def test_a_small_image_is_kept_and_a_large_one_is_told() -> None:
    found = facts()
    contract = a_contract(image={"max_size": "1GB"})
    judgement = judge(contract, found)
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "images", ())
    large = found.model_copy(update={"image": found.image.model_copy(update={"size": 1_250_000_000})})
    (fault,) = judge(contract, large).faults
    assert fault.summary == "The image has 1.25 GB, 250.0 MB more than the contract allows"

from __future__ import annotations

from imgcheck.checks.missing_pin import judge
from tests.checks.build_facts import a_contract, dist, facts


def test_a_pinned_distribution_that_is_there_is_kept() -> None:
    judgement = judge(a_contract(pins={"Typing_Extensions": "4.12"}), facts(dist("typing-extensions 4.0")))
    assert (judgement.examined, judgement.faults) == (1, ())


def test_a_pinned_distribution_that_is_gone_is_named_with_those_that_want_it() -> None:
    ray = dist("ray 2.9.0", "grpcio>=1.32; extra == 'default'", "protobuf!=3.19.5,>=3.15.3")
    (fault,) = judge(a_contract(pins={"protobuf": "4.25.3"}), facts(ray)).faults
    assert fault.summary == "protobuf is not installed, the contract pins 4.25.3"
    assert fault.evidence == "ray 2.9.0 requires protobuf!=3.19.5,>=3.15.3"
    assert not fault.details

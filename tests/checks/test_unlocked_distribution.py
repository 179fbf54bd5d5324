from __future__ import annotations

from imgcheck.checks.unlocked_distribution import judge
from imgcheck.facts.model import Distribution
from imgcheck.facts.rebuild import Locked
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract, dist, facts

CONTRACT = a_contract(locks=["r.txt"])
NUMPY, SIX = dist("numpy 1.26.4"), dist("six 1.16.0")


def judged(*installed: Distribution, **versions: str) -> Judgement:
    locked = tuple(Locked(name=name, version=version, file="r.txt", line=3) for name, version in versions.items())
    return judge(CONTRACT, facts(*installed, base=[NUMPY]).model_copy(update={"locked": locked}))


def test_the_base_s_own_and_what_the_lock_says_are_kept() -> None:
    judgement = judged(NUMPY, SIX, six="1.16.0")
    assert (judgement.examined, judgement.faults) == (2, ())


def test_what_no_lock_names() -> None:
    (fault,) = judged(NUMPY, SIX).faults
    assert fault.summary == "six 1.16.0 is installed, and no lock names it"
    assert fault.blame == ("six",)


def test_another_version_than_the_lock_says() -> None:
    (fault,) = judged(dist("six 1.17.0"), six="1.16.0").faults
    assert (fault.expected, fault.actual, str(fault.location)) == ("1.16.0", "1.17.0", "r.txt:3")


def test_what_moved_away_from_the_base_needs_a_lock() -> None:
    (fault,) = judged(dist("numpy 2.0")).faults
    assert fault.subject == "numpy"


def test_an_address_is_met_by_presence_and_versions_are_compared_as_versions() -> None:
    assert not judged(SIX, six="").faults
    assert not judged(dist("six 1.16"), six="1.16.0").faults

from __future__ import annotations

import pytest

from imgcheck.checks.missing_asset import CHECK, judge
from imgcheck.facts.surroundings import PathFacts
from tests.checks.build_facts import a_contract
from tests.checks.build_surroundings import path, surrounded

PUNKT = "/usr/share/nltk_data/tokenizers/punkt"
CONTRACT = a_contract(assets=[PUNKT])


def test_it_is_asked_for_by_assets() -> None:
    assert not CHECK.applies(a_contract())
    assert CHECK.applies(CONTRACT)


@pytest.mark.parametrize("there", [path(PUNKT, "folder", entries=3), path(PUNKT, "file", size=9), path(PUNKT, "other")])
def test_what_is_there_is_kept(there: PathFacts) -> None:
    judgement = judge(CONTRACT, surrounded(paths=(there,)))
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "assets", ())


@pytest.mark.parametrize(
    ("there", "words"),
    [
        (path(PUNKT), "is not in the image"),
        (path(PUNKT, "dangling"), "is a link to what is not in the image"),
        (path(PUNKT, "closed"), "cannot be read by this user"),
        (path(PUNKT, "folder", entries=0), "is an empty folder"),
        (path(PUNKT, "file", size=0), "is an empty file"),
    ],
)
def test_what_is_not_there_or_empty_is_told(there: PathFacts, words: str) -> None:
    (fault,) = judge(CONTRACT, surrounded(paths=(there,))).faults
    assert fault.summary == f"{PUNKT} {words}"

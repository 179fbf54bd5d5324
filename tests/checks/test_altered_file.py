from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.altered_file import CHECK, judge
from imgcheck.facts.files import AlteredFile
from imgcheck.facts.model import Distribution
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract, dist
from tests.checks.build_files import file_facts, listed

NUMPY = dist("numpy 1.26.4", modules=["numpy"])


def judged(*distributions: Distribution, **of_files: Any) -> Judgement:
    return judge(a_contract(), file_facts(*distributions, **of_files))


def test_files_as_they_are_recorded_are_kept() -> None:
    assert CHECK.applies(a_contract())
    judgement = judged(NUMPY)
    assert (judgement.examined, judgement.unit, judgement.faults) == (8, "files", ())


def test_a_file_that_was_edited_is_told() -> None:
    (fault,) = judged(NUMPY, owners=(listed(NUMPY, altered=["numpy/core.py"]),)).faults
    assert fault.subject == "numpy"
    assert fault.summary == (
        "1 of 10 files of numpy 1.26.4 was changed after the installation: "
        "numpy/core.py has another hash than is recorded"
    )
    assert "a RUN sed" in fault.remedy
    assert fault.details == ("numpy/core.py",)


@pytest.mark.parametrize(
    ("size", "words"),
    [
        pytest.param(0, "numpy/core.py is empty", id="truncated"),
        pytest.param(7, "numpy/core.py has 7 bytes, 90 are recorded", id="size"),
    ],
)
def test_a_size_is_told(size: int, words: str) -> None:
    file = AlteredFile(path="numpy/core.py", by="size", size=size, recorded=90)
    (fault,) = judged(NUMPY, owners=(listed(NUMPY).model_copy(update={"altered": (file,), "altered_count": 1}),)).faults
    assert fault.summary.endswith(words)


def test_certificates_that_were_appended_are_a_note() -> None:
    certifi = dist("certifi 2026.5.20", modules=["certifi"])
    owners = (listed(certifi, altered=["certifi/cacert.pem", "certifi/core.py"]),)
    broken, note = judged(certifi, owners=owners).faults
    assert broken.details == ("certifi/core.py",)
    assert broken.summary.startswith("1 of 10 files of certifi 2026.5.20 was changed")
    assert note.note
    assert "certificates of an organisation are appended to it" in note.summary


def test_what_was_not_hashed_is_counted_and_not_kept() -> None:
    judgement = judged(NUMPY, owners=(listed(NUMPY, hashed=6, unhashed=2, rewritten=1, unreadable=1),))
    assert judgement.examined == 6
    assert [count for _, count in judgement.passed_over] == [2, 1, 1]
    assert "--deep" in judgement.passed_over[0][0]


def test_of_two_versions_in_one_folder_another_check_tells() -> None:
    old = dist("numpy 1.25.0")
    assert not judged(NUMPY, old, owners=(listed(NUMPY), listed(old, altered=["numpy/core.py"]))).faults

from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.image_file import CHECK, judge
from imgcheck.facts.surroundings import TextFacts
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract
from tests.checks.build_surroundings import path, surrounded

FILE = "/etc/app.conf"
THERE = path(FILE, "file", mode=0o640, uid=0, gid=7)


def judged(
    promise: Any, there: Any = THERE, text: str | None = "mode=train\nport=1\n", *, whole: bool = True
) -> Judgement:
    texts = (TextFacts(path=FILE, text=text, whole=whole),)
    return judge(a_contract(image={"files": [promise]}), surrounded(paths=(there,), texts=texts))


def test_it_is_asked_for_by_files() -> None:
    assert not CHECK.applies(a_contract())
    assert CHECK.applies(a_contract(image={"files": [FILE]}))


@pytest.mark.parametrize(
    "promise",
    [
        pytest.param(FILE, id="there"),
        pytest.param({"path": FILE, "kind": "file", "mode": "0640", "uid": 0, "gid": 7, "executable": False}, id="all"),
        pytest.param({"path": FILE, "contains": ["^port=\\d$"], "excludes": ["password"]}, id="content"),
    ],
)
def test_a_file_as_promised_is_kept(promise: Any) -> None:
    judgement = judged(promise)
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "files", ())


def test_a_file_that_must_not_be_there() -> None:
    assert not judged({"path": FILE, "exists": False}, path(FILE)).faults
    (fault,) = judged({"path": FILE, "exists": False}).faults
    assert fault.summary == f"{FILE} is in the image, and must not be"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        pytest.param({"kind": "folder"}, "is a file, not a folder", id="kind"),
        pytest.param({"mode": "0644"}, "has mode 0640, not 0644", id="mode"),
        pytest.param({"uid": 1000}, "has uid 0, not 1000", id="uid"),
        pytest.param({"gid": 0}, "has gid 7, not 0", id="gid"),
        pytest.param({"executable": True}, "is not executable", id="executable"),
        pytest.param({"contains": ["serve"]}, "contains nothing that matches 'serve'", id="contains"),
        pytest.param({"excludes": ["tr.in"]}, "contains 'train', which 'tr.in' forbids", id="excludes"),
    ],
)
def test_what_differs_is_told(more: dict[str, Any], words: str) -> None:
    (fault,) = judged({"path": FILE, **more}).faults
    assert fault.summary == f"{FILE} {words}"
    assert not fault.unverified


def test_what_is_not_there_is_told() -> None:
    (fault,) = judged({"path": FILE, "contains": ["x"]}, path(FILE)).faults
    assert fault.summary == f"{FILE} is not in the image"


def test_what_cannot_be_read_or_is_cut_off_is_not_verified() -> None:
    assert judged(FILE, path(FILE, "closed")).faults[0].unverified
    assert judged({"path": FILE, "contains": ["x"]}, text=None).faults[0].unverified
    assert judged({"path": FILE, "contains": ["serve"]}, whole=False).faults[0].unverified
    assert judged({"path": FILE, "excludes": ["serve"]}, whole=False).faults[0].unverified

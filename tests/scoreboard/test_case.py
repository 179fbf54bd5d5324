"""Files of tests/cases: all are sound, and what is wrong with one is told with its file and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from imgcheck.checks import CHECKS
from tests.scoreboard.case import Case, CaseError, Section, cases, healthy, load
from tests.scoreboard.images import ROOT, dockerfile

GOOD = """\
id: A10
title: one and another
kind: A
source: owner/name#1
small: true
visible: true
image: {requirements: [one==1.0]}
twin: {}
expected: {checks: [moved-pin], culprit: one}
plain_import: one
"""


def write(folder: Path, text: str, name: str = "A10.yaml") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_there_is_a_file_for_each_case() -> None:
    found = cases()
    assert len(found) == 59
    assert len({one.id for one in found}) == 59


def test_every_expected_check_is_there() -> None:
    assert {name for one in cases() for name in one.expected.checks} <= {one.name for one in CHECKS}


def test_what_only_a_contract_line_can_tell_is_not_called_visible_without_it() -> None:
    assert all(one.asked for one in cases() if {"failed-smoke", "missing-asset"} & set(one.expected.checks))


def test_a_case_is_not_its_own_twin() -> None:
    assert not [one.id for one in cases() if one.image == one.twin]


def test_there_are_ten_small_healthy_images_and_more() -> None:
    found = healthy()
    assert sum(one.small for one in found) >= 10
    assert sum(not one.small for one in found) >= 8
    assert all((ROOT / one.script.split()[0]).is_file() for one in found if one.script)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(
            ("one==1.0", "one>=1.0"), "A10.yaml: image.requirements.0: ", id="a requirement that is not pinned"
        ),
        pytest.param(("one==1.0", "one==1.*"), "image.requirements.0: ", id="a pin with a star"),
        pytest.param(("one==1.0", "'one two'"), "image.requirements.0: ", id="no requirement"),
        pytest.param(("twin:", "twins:"), "A10.yaml: twins: ", id="an unknown key"),
        pytest.param(("kind: A", "kind: Q"), "A10.yaml: kind: ", id="an unknown kind"),
        pytest.param(("[moved-pin]", "[]"), "A10.yaml: expected.checks: ", id="no check expected"),
        pytest.param(("twin: {}", "twin: {source: [two]}"), "A10.yaml: twin: ", id="a source that is not listed"),
        pytest.param(("title: one", "title: [one"), "A10.yaml: ", id="no YAML"),
    ],
)
def test_what_is_wrong_names_file_and_key(tmp_path: Path, change: tuple[str, str], told: str) -> None:
    with pytest.raises(CaseError) as caught:
        load(write(tmp_path, GOOD.replace(*change)), Case)
    assert told in str(caught.value)


def test_a_file_is_named_as_its_case(tmp_path: Path) -> None:
    write(tmp_path, GOOD, "B10.yaml")
    with pytest.raises(CaseError, match=r"B10\.yaml: id: is 'A10'"):
        cases(tmp_path)


def test_a_section_becomes_a_dockerfile() -> None:
    section = Section(apt=("g++",), requirements=("one[more]==1.0",), pins=("two==2.0",), steps=("USER nobody",))
    lines = dockerfile("parent:1", section).splitlines()
    assert lines[0] == "FROM parent:1"
    assert "install --no-install-recommends g++ " in lines[2]
    assert lines[3].endswith("pip install -q -r /inputs/requirements.txt -c /inputs/pins.txt")
    assert lines[4] == "USER nobody"
    assert section.distributions == ("one==1.0", "two==2.0")


def test_an_empty_section_adds_nothing_to_the_image() -> None:
    assert "RUN" not in dockerfile("parent:1", Section())

from __future__ import annotations

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from imgcheck.diagnosis.versions import allows, compatible, how_moved, parse_version


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (">=1.26,<2", ">=2", False),
        (">=1.26,<2", ">=1.20", True),
        ("<2", "<1", True),
        (">1.0", "<=1.0", False),
        (">1.0", ">2.0", True),
        ("<1.0", "<0.0", False),
        ("==4.25.3", "<4.25.3", False),
        ("==4.25.3", "!=4.25.3", False),
        ("", ">=1", True),
        ("", "", True),
        ("===odd", "===odd", True),
    ],
)
def test_whether_some_version_satisfies_both(one: str, other: str, expected: bool) -> None:
    assert compatible(SpecifierSet(one), SpecifierSet(other)) is expected
    assert compatible(SpecifierSet(other), SpecifierSet(one)) is expected


@pytest.mark.parametrize(
    ("pin", "version", "words"),
    [
        ("==4.25.3", "3.20.1", "moved down"),
        ("==4.25.3", "5.29.1", "moved up"),
        (">=1.26,<2", "1.25", "moved down"),
        (">=1.26,<2", "2.1", "moved up"),
        ("==2.1.0+cu121", "2.1.0+cpu", "is another build"),
        ("==2.1.*", "2.0.1", "moved down"),
        ("!=1.5", "1.5", "is the version left out"),
        (">=1", "2", "moved"),
    ],
)
def test_in_which_way_a_version_left_its_pin(pin: str, version: str, words: str) -> None:
    assert how_moved(SpecifierSet(pin), Version(version)) == words


def test_an_installed_pre_release_is_a_version() -> None:
    assert allows(SpecifierSet(">=2"), Version("2.1rc1"))


def test_what_is_no_version() -> None:
    assert parse_version("0.23ubuntu1-x") is None

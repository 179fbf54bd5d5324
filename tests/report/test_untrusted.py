from __future__ import annotations

import sys

import pytest

from imgcheck.report.untrusted import neutral, neutral_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("plain", "plain", id="plain"),
        pytest.param("naïve 模型 ✓", "naïve 模型 ✓", id="letters-of-the-world"),
        pytest.param("\x1b[1;31mred\x1b[0m", "red", id="colour-is-dropped"),
        pytest.param("\x1b[2J", r"\x1b[2J", id="cursor-and-screen"),
        pytest.param("\x1b]8;;http://x\x07", r"\x1b]8;;http://x\x07", id="hyperlink"),
        pytest.param("\x1b\x1b[0m[2J", r"\x1b[2J", id="nested-sequences"),
        pytest.param("a\tb", "a   b", id="tab"),
        pytest.param("a\nb\r\x00\x7f", r"a\nb\r\x00\x7f", id="c0-and-del"),
        pytest.param("\x9b1m\x85", r"\x9b1m\x85", id="c1"),
        pytest.param("\u202e\u2066\u200f\u061c", r"\u202e\u2066\u200f\u061c", id="bidirectional"),
        pytest.param("\u200b\ufeff\u2028", r"\u200b\ufeff\u2028", id="invisible"),
        pytest.param("\ud800", r"\ud800", id="lone-surrogate"),
        pytest.param("\U000e0041", r"\U000e0041", id="tag-characters"),
        pytest.param("::error::x a ::add-mask::y", r"\x3a:error::x a \x3a:add-mask::y", id="commands-of-github"),
        pytest.param("a##[error]b ##vso[c] ##teamcity[d]", r"a\x23#[error]b \x23#vso[c] \x23#teamcity[d]", id="others"),
        pytest.param("tests/a.py::b std::c a: :: ## x", "tests/a.py::b std::c a: :: ## x", id="colons-are-text"),
        pytest.param("[red]x[/red]", "[red]x[/red]", id="markup-is-text"),
    ],
)
def test_neutral(text: str, shown: str) -> None:
    assert neutral(text) == shown


def test_no_character_whatever_survives_unprintable() -> None:
    for number in (*range(0x3000), *range(0xD800, 0x10000), *range(0xE0000, 0xE0200), sys.maxunicode):
        shown = neutral(chr(number))
        assert "\x1b" not in shown
        assert "\n" not in shown
        assert "\u202e" not in shown


def test_lines() -> None:
    assert neutral_lines("\na\r\n  b\rc\x0bd\n\n") == ("a", "  b", r"c\x0bd")

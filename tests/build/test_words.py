"""Words of a Dockerfile line."""

from __future__ import annotations

import pytest

from imgcheck.build.words import ExpansionError, expand, split, split_raw

VARIABLES = {"A": "one", "EMPTY": "", "V": "3.11.7-slim"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("plain", "plain", id="no-variable"),
        pytest.param("$A", "one", id="bare"),
        pytest.param("${A}x", "onex", id="braces"),
        pytest.param("$Ax", "", id="a-name-is-taken-whole"),
        pytest.param("${N:-two}", "two", id="default-for-unset"),
        pytest.param("${EMPTY:-two}", "two", id="colon-default-for-empty"),
        pytest.param("${EMPTY-two}", "", id="plain-default-keeps-empty"),
        pytest.param("${A:-two}", "one", id="default-not-needed"),
        pytest.param("${N:-${A}-x}", "one-x", id="default-with-a-variable"),
        pytest.param("${A:+x}", "x", id="alternative-for-set"),
        pytest.param("${N:+x}", "", id="no-alternative-for-unset"),
        pytest.param("${EMPTY+x}", "x", id="plain-alternative-for-empty"),
        pytest.param("${A:?must}", "one", id="question-mark-with-a-value"),
        pytest.param("${V%-*}", "3.11.7", id="shortest-suffix"),
        pytest.param("${V%%.*}", "3", id="longest-suffix"),
        pytest.param("${V#*.}", "11.7-slim", id="shortest-prefix"),
        pytest.param("${V##*.}", "7-slim", id="longest-prefix"),
        pytest.param("${V#x}", "3.11.7-slim", id="prefix-that-is-not-there"),
        pytest.param("${V/./_}", "3_11.7-slim", id="first-replaced"),
        pytest.param("${V//./_}", "3_11_7-slim", id="all-replaced"),
        pytest.param("'$A'", "$A", id="single-quotes"),
        pytest.param('"$A b"', "one b", id="double-quotes"),
        pytest.param(r'"\$A \n"', r"$A \n", id="escapes-inside-double-quotes"),
        pytest.param(r"\$A", "$A", id="escaped-dollar"),
        pytest.param("a$", "a$", id="dollar-at-the-end"),
        pytest.param("a$/b", "a$/b", id="dollar-before-no-name"),
    ],
)
def test_expansion(text: str, expected: str) -> None:
    assert expand(text, VARIABLES).text == expected


@pytest.mark.parametrize("text", ["${A", "${", "'a", '"a', "${N:?must be given}", "${A!x}"])
def test_what_cannot_be_expanded_is_an_error(text: str) -> None:
    with pytest.raises(ExpansionError):
        expand(text, VARIABLES)


def test_names_without_a_value_are_told() -> None:
    assert expand("$N:${EMPTY}-$A", VARIABLES).missing == ("N", "EMPTY")
    assert expand("${N:-x}", VARIABLES).missing == ()


def test_the_escape_character_is_the_files_own() -> None:
    assert expand(r"a`$A\b", VARIABLES, escape="`").text == r"a$A\b"


def test_words_are_parted_outside_quotes_and_braces() -> None:
    assert split_raw(r"""a "b c" 'd "e' ${N:-f g} h\ i  "it's" """) == (
        "a",
        '"b c"',
        "'d \"e'",
        "${N:-f g}",
        r"h\ i",
        '"it\'s"',
    )
    assert split('A="x y" $A', VARIABLES) == ("A=x y", "one")
    assert split_raw("  ") == ()

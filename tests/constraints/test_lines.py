"""Constraints files as pip has them."""

from __future__ import annotations

import pytest

from imgcheck.constraints import ConstraintsFile, read_constraints
from imgcheck.errors import ContractError
from imgcheck.outcome import Location


def read(text: str) -> ConstraintsFile:
    return read_constraints(text, "c.txt")


LINES = [
    pytest.param("protobuf==4.25.3", ["protobuf==4.25.3"], id="exact"),
    pytest.param("Foo_Bar == 1.10", ["foo-bar==1.10"], id="canonical name, version to the letter"),
    pytest.param("numpy >=1.26, <2", ["numpy>=1.26,<2"], id="order as written"),
    pytest.param("numpy (>=1.26)", ["numpy>=1.26"], id="parentheses"),
    pytest.param("torch==2.6.0+cu126", ["torch==2.6.0+cu126"], id="local version"),
    pytest.param("a", ["a"], id="bare name"),
    pytest.param("a==1 ; python_version < '3.9'", ['a==1 ; python_version < "3.9"'], id="marker"),
    pytest.param("a @ https://x.example/a.whl#sha256=1", ["a @ https://x.example/a.whl#sha256=1"], id="address"),
    pytest.param("# c\n\n a==1  # why\n", ["a==1"], id="comments"),
    pytest.param("a==1\\\n,!=2\nb==2", ["a==1,!=2", "b==2"], id="continued"),
    pytest.param("a==1 \\", ["a==1"], id="continued into nothing"),
    pytest.param("# c \\\na==1", ["a==1"], id="a comment does not continue"),
    pytest.param("\ufeffa==1\r\nb==2\r\n", ["a==1", "b==2"], id="windows"),
    pytest.param("", [], id="empty"),
]


@pytest.mark.parametrize(("text", "lines"), LINES)
def test_a_line_is_read(text: str, lines: list[str]) -> None:
    result = read(text)
    assert [line.text for line in result.lines] == lines
    assert result.notes == ()


def test_each_line_knows_its_place() -> None:
    lines = read("# c\na==1 \\\n  ,!=2\n\nb==2\n").lines
    assert [line.where for line in lines] == [Location(file="c.txt", line=2), Location(file="c.txt", line=5)]


@pytest.mark.parametrize(
    ("text", "lines", "note"),
    [
        pytest.param(
            "a==1 \\\n  --hash=sha256:00 \\\n  --hash sha256:11\n",
            ["a==1"],
            "c.txt:1: options of a line, such as --hash, are not used; a==1 is",
            id="hashes",
        ),
        pytest.param(
            "--index-url=https://x.example\na==1",
            ["a==1"],
            "c.txt:1: --index-url is an option of pip and is not used",
            id="index",
        ),
        pytest.param("--pre", [], "c.txt:1: --pre is an option of pip and is not used", id="pre"),
        pytest.param("a[y,x]==1", ["a==1"], "c.txt:1: a constraint has no extras; [x,y] is not used", id="extras"),
    ],
)
def test_what_is_read_over_is_noted(text: str, lines: list[str], note: str) -> None:
    result = read(text)
    assert [line.text for line in result.lines] == lines
    assert result.notes == (note,)


@pytest.mark.parametrize(
    "line", ["-r other.txt", "-c other.txt", "--constraint=other.txt", "--requirement other.txt", "-rother.txt"]
)
def test_includes_are_refused(line: str) -> None:
    with pytest.raises(ContractError) as caught:
        read(f"a==1\n{line}")
    assert (
        caught.value.message == f"c.txt:2: {line!r} includes another file, which is not followed; name that file itself"
    )


def test_all_that_is_no_constraint_is_told_at_once() -> None:
    with pytest.raises(ContractError) as caught:
        read("-e ./a\n./b.whl\nc=1\n")
    one, two, three = caught.value.message.splitlines()
    assert one == "c.txt:1: '-e ./a' is editable, and a constraint cannot be"
    assert two.startswith("c.txt:2: './b.whl' is no requirement: ")
    assert three.startswith("c.txt:3: 'c=1' is no requirement: ")
    assert caught.value.remedy == "A constraint is a name and versions: protobuf==4.25.3"


def test_a_marker_is_judged_for_the_image() -> None:
    (line,) = read("a==1 ; python_version < '3.9'").lines
    assert not line.holds({"python_version": "3.11"})
    assert line.holds({"python_version": "3.8"})

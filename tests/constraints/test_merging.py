"""One file out of many, and what contradicts what."""

from __future__ import annotations

from pathlib import Path

import pytest

from imgcheck.constraints import (
    ConstraintLine,
    Merged,
    further_files,
    installed_conflicts,
    merge,
    pin_lines,
    read_constraints,
)
from imgcheck.contract.loader import parse_contract
from tests.contract.bases import distribution, inventory


def of(text: str, source: str = "base.txt") -> tuple[ConstraintLine, ...]:
    return read_constraints(text, source).lines


def pins(**versions: str) -> tuple[ConstraintLine, ...]:
    body = "".join(f"\n  {name}: '{pin}'" for name, pin in versions.items())
    contract = parse_contract(f"imgcheck: 1\npins:{body}\n", "c.yaml")
    return pin_lines(contract.pins, contract)


def lines(merged: Merged) -> list[str]:
    return [line.text for line in merged.lines]


@pytest.mark.parametrize(
    ("pin", "line"),
    [
        pytest.param("4.25.3", "a==4.25.3", id="exact"),
        pytest.param("1.10", "a==1.10", id="to the letter"),
        pytest.param("2.6.0+cu126", "a==2.6.0+cu126", id="local version"),
        pytest.param("1!2.0", "a==1!2.0", id="epoch"),
        pytest.param(">=1.26, <2", "a>=1.26,<2", id="range"),
        pytest.param(">=1,", "a>=1", id="comma too many"),
        pytest.param("==1.4.*", "a==1.4.*", id="wildcard"),
    ],
)
def test_a_pin_becomes_a_constraint(pin: str, line: str) -> None:
    assert lines(merge(pins(a=pin))) == [line]


def test_the_file_is_sorted_and_says_whose_it_is() -> None:
    merged = merge(pins(torch="2.6.0+cu126", Foo_Bar="1.10"), base=of("numpy<2"), extra=of("aaa==1"))
    assert merged.text("base.yaml") == (
        "# Constraints of base.yaml, written by imgcheck. Use: pip install -c FILE, uv pip install -c FILE\n"
        "aaa==1\nfoo-bar==1.10\nnumpy<2\ntorch==2.6.0+cu126\n"
    )
    assert merged.conflicts == ()


MERGES = [
    pytest.param("1.26.4", "a==1.26.4", ["a==1.26.4"], id="the same"),
    pytest.param("1.26.4", "a<2", ["a==1.26.4"], id="an exact pin says it all"),
    pytest.param("2.6.0", "a==2.6", ["a==2.6.0"], id="equal versions"),
    pytest.param(">=1.26,<2", "a==1.26.4", ["a>=1.26,<2", "a==1.26.4"], id="both hold"),
    pytest.param("2.6.0+cu126", "a==2.6.0", ["a==2.6.0+cu126"], id="a build of the version"),
    pytest.param("1.0", "a==1.0 ; sys_platform == 'win32'", ["a==1.0"], id="an exact pin holds everywhere"),
    pytest.param("<2", "a<1.9 ; sys_platform == 'linux'", ["a<2", 'a<1.9 ; sys_platform == "linux"'], id="marker"),
]


@pytest.mark.parametrize(("pin", "line", "expected"), MERGES)
def test_what_agrees_is_merged(pin: str, line: str, expected: list[str]) -> None:
    merged = merge(pins(a=pin), base=of(line))
    assert lines(merged) == expected
    assert merged.conflicts == ()


CONTRADICTIONS = [
    pytest.param("2.0", "a==1.0", "a==2.0", id="two versions"),
    pytest.param("2.6.0+cu126", "a==2.6.0+cpu", "a==2.6.0+cu126", id="two builds"),
    pytest.param(">=2", "a<2", "a>=2", id="two ranges"),
    pytest.param("==1.4.*", "a>=1.5", "a==1.4.*", id="wildcard"),
    pytest.param("1.5", "a!=1.5", "a==1.5", id="left out"),
]


@pytest.mark.parametrize(("pin", "line", "kept"), CONTRADICTIONS)
def test_the_contract_wins_and_the_contradiction_is_told(pin: str, line: str, kept: str) -> None:
    merged = merge(pins(a=pin), base=of(line))
    assert lines(merged) == [kept]
    assert merged.conflicts == (f"base.txt:1 says {line}, and c.yaml:3 says {kept}; the second is in force",)


def test_further_files_win_over_the_bases_own() -> None:
    merged = merge((), base=of("a==1"), extra=of("a==2", "team.txt"))
    assert lines(merged) == ["a==2"]
    assert merged.conflicts == ("base.txt:1 says a==1, and team.txt:1 says a==2; the second is in force",)


def test_a_marker_that_is_false_in_the_image_contradicts_nothing() -> None:
    line = of("a==1 ; sys_platform == 'win32'")
    assert len(merge(pins(a="2"), base=line).conflicts) == 1
    merged = merge(pins(a="2"), base=line, environment={"sys_platform": "linux"})
    assert merged.conflicts == ()


def test_two_addresses_contradict_each_other() -> None:
    one, other = of("a @ https://x.example/1"), of("a @ https://x.example/2", "team.txt")
    assert len(merge((), base=one, extra=other).conflicts) == 1
    assert merge((), base=one, extra=one).conflicts == ()


def test_constraints_are_held_against_what_is_installed() -> None:
    url = '{"url": "https://x.example/f.whl"}'
    installed = inventory(
        distribution("protobuf", "5.27.1"),
        distribution("numpy", "1.26.4"),
        distribution("odd", "1ubuntu1"),
        distribution("from-url", "1.0", direct_url=url),
        distribution("moved", "1.0"),
    )
    text = (
        "protobuf==4.25.3\nnumpy<2\nabsent==1\nodd==1\nfrom_url @ https://x.example/f.whl\n"
        "moved @ https://x.example/m.whl\nnumpy==1 ; sys_platform == 'win32'\n"
    )
    assert installed_conflicts(of(text, "/etc/pip/constraint.txt"), installed) == (
        "/etc/pip/constraint.txt:1 says protobuf==4.25.3, and protobuf 5.27.1 is installed",
        "/etc/pip/constraint.txt:4 says odd==1, and odd 1ubuntu1 is installed, which cannot be compared",
        "/etc/pip/constraint.txt:6 says moved @ https://x.example/m.whl, and moved 1.0 is installed, from elsewhere",
    )


def test_an_installation_from_an_address_meets_its_version() -> None:
    editable = distribution("own", "1.0", direct_url='{"url": "file:///src", "dir_info": {"editable": true}}')
    assert installed_conflicts(pins(own="1.0"), inventory(editable)) == ()


def test_further_files_stand_beside_the_contract() -> None:
    contract = parse_contract("imgcheck: 1\nconstraints: {files: [a.txt, ../b.txt]}\n", "contracts/c.yaml")
    assert further_files(contract) == (Path("contracts/a.txt"), Path("contracts/../b.txt"))

"""Whatever is installed: its version comes through freeze, load and constraints as the very text it was."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from imgcheck.contract.freeze import Frozen, freeze
from imgcheck.contract.loader import parse_contract
from imgcheck.facts.model import Inventory
from tests.contract.bases import distribution, image, inventory

names = st.one_of(
    st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,8}[A-Za-z0-9])?", fullmatch=True),
    st.sampled_from(["y", "No", "null", "true", "1e3", "0x10", "1.10", "010", "inf", "nan"]),
)
versions = st.one_of(
    st.from_regex(
        r"v?([0-9]{1,2}!)?[0-9]{1,4}(\.[0-9]{1,3}){0,3}((a|b|rc|RC|\.alpha)[0-9]{0,2})?(-[0-9]|\.post[0-9]?)?(\.dev[0-9]?)?"
        r"(\+[a-z0-9]{1,5}([._-][a-zA-Z0-9]{1,3})?)?",
        fullmatch=True,
    ),
    st.sampled_from(["1.10", "3.10", "010", "1", "2024", "2024.1", "1e3", "0x10", "1.0e5", "1_0", "true", ".5", "1."]),
)
installed_sets = st.dictionaries(names, versions, max_size=6)


def is_version(text: str) -> bool:
    try:
        Version(text)
    except ValueError:
        return False
    return True


def frozen(installed: Inventory, existing: str | None = None) -> Frozen:
    return freeze(image(), installed, reference="base:1", path="base.yaml", existing=existing)


def pinned(versions: dict[str, str]) -> dict[str, str]:
    """What has to be pinned: the first of each name, where its version is one."""
    first: dict[str, str] = {}
    for name, version in versions.items():
        first.setdefault(canonicalize_name(name), version)
    return {name: version for name, version in first.items() if is_version(version) and name != "pip"}


def of(versions: dict[str, str]) -> Inventory:
    return inventory(*(distribution(name, version) for name, version in versions.items()))


@settings(max_examples=40, deadline=None)
@given(installed_sets)
def test_every_version_survives_to_the_letter(versions: dict[str, str]) -> None:
    result = frozen(of(versions))
    expected = pinned(versions)
    assert parse_contract(result.contract_text, "base.yaml").pins == expected
    lines = result.constraints_text.splitlines()[1:]
    assert lines == [f"{name}=={version}" for name, version in sorted(expected.items())]
    for line in lines:
        assert Requirement(line).specifier.contains(expected[line.partition("=")[0]], prereleases=True)


@settings(max_examples=25, deadline=None)
@given(installed_sets, installed_sets)
def test_a_second_freeze_ends_where_a_first_would(before: dict[str, str], after: dict[str, str]) -> None:
    first = frozen(of(before)).contract_text
    second = frozen(of(after), first)
    kept = parse_contract(second.contract_text, "base.yaml").pins
    wanted = pinned(after)
    assert kept.keys() - wanted.keys() <= {
        canonicalize_name(name) for name in after
    }  # what cannot be compared any more
    assert {name: Version(kept[name]) for name in wanted} == {name: Version(text) for name, text in wanted.items()}
    assert frozen(of(after), second.contract_text).contract_text == second.contract_text


@settings(max_examples=25, deadline=None)
@given(installed_sets, installed_sets)
def test_comments_of_pins_that_stay_stay(before: dict[str, str], after: dict[str, str]) -> None:
    plain = frozen(of(before)).contract_text
    names = pinned(before)
    commented = "\n".join(
        f"{line}  # kept {number}" if line.startswith("  ") and ": " in line else line
        for number, line in enumerate(plain.split("\n"))
    )
    again = frozen(of(after), commented).contract_text
    gone = len(names.keys() - {canonicalize_name(name) for name in after})
    assert again.count("# kept") == commented.count("# kept") - gone

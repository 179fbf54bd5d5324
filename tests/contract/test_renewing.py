"""A second freeze: what people wrote stays, what is exact follows the base, and what changed is told."""

from __future__ import annotations

import difflib

import pytest

from imgcheck.contract.freeze import Frozen, freeze
from imgcheck.contract.loader import parse_contract
from imgcheck.errors import ContractError
from imgcheck.facts.model import Inventory
from tests.contract.bases import ID, OLD_DIGEST, REFERENCE, distribution, image, inventory

EDITED = f"""\
# Ours. Do not touch without asking the platform team.
imgcheck: 1   # the format

base: {{image: "{REFERENCE}", digest: '{OLD_DIGEST}'}}   # moves weekly
python: '3.10'
pins:

  # the cluster
  ray: 2.9.1    # in step with the head node
  gone: 1.0     # bob needs this
  # numeric
  Foo_Bar: "1.9"   # quoted
  numpy:   ">=1.26,<2"  # loosened in May
  torch: '2.5.0'
probes:
    - ray-dashboard   # four spaces
waivers:
- {{check: IC301, subject: "x.*", reason: r, owner: o, until: 2027-01-31}}
# the end"""

NOW = {
    "ray": "2.10.0",
    "foo_bar": "1.10",
    "numpy": "1.26.4",
    "torch": "2.6.0",
    "absl_py": "2.1.0",
    "protobuf": "4.25.3",
}


def again(existing: str, installed: Inventory, **options: object) -> Frozen:
    given = {"reference": REFERENCE, "path": "c.yaml", **options}
    return freeze(image(), installed, existing=existing, **given)  # type: ignore[arg-type]


def pins_after(pins: str, installed: Inventory, **options: object) -> str:
    """The text from `pins` on, of a contract that is otherwise up to date."""
    head = f'imgcheck: 1\nbase: {{image: "{REFERENCE}", digest: "{ID}"}}\npython: "3.11"\n'
    text = again(head + pins, installed, **options).contract_text
    assert text.startswith(head)
    return text.removeprefix(head)


def difference(old: str, new: str) -> list[str]:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def test_only_what_differs_is_touched() -> None:
    result = again(EDITED, inventory(**NOW))
    assert difference(EDITED, result.contract_text) == [
        f"-base: {{image: \"{REFERENCE}\", digest: '{OLD_DIGEST}'}}   # moves weekly",
        "-python: '3.10'",
        f"+base: {{image: \"{REFERENCE}\", digest: '{ID}'}}   # moves weekly",
        "+python: '3.11'",
        "+  absl-py: 2.1.0",
        "-  ray: 2.9.1    # in step with the head node",
        "-  gone: 1.0     # bob needs this",
        "+  ray: 2.10.0    # in step with the head node",
        '-  Foo_Bar: "1.9"   # quoted',
        '+  Foo_Bar: "1.10"   # quoted',
        "-  torch: '2.5.0'",
        "+  protobuf: 4.25.3",
        "+  torch: '2.6.0'",
    ]
    assert [str(change) for change in result.changes] == [
        f"changed: base.digest {OLD_DIGEST} -> {ID}",
        "changed: python 3.10 -> 3.11",
        "added: absl-py 2.1.0",
        "changed: foo-bar 1.9 -> 1.10",
        "removed: gone 1.0 (not installed any more; # bob needs this)",
        "added: protobuf 4.25.3",
        "changed: ray 2.9.1 -> 2.10.0",
        "changed: torch 2.5.0 -> 2.6.0",
    ]
    assert result.differs
    assert result.conflicts == ()


def test_a_third_freeze_changes_nothing() -> None:
    once = again(EDITED, inventory(**NOW)).contract_text
    result = again(once, inventory(**NOW))
    assert result.contract_text == once
    assert not result.differs


def test_constraints_follow_the_edited_contract() -> None:
    assert again(EDITED, inventory(**NOW)).constraints_text.splitlines()[1:] == [
        "absl-py==2.1.0",
        "foo-bar==1.10",
        "numpy>=1.26,<2",
        "protobuf==4.25.3",
        "ray==2.10.0",
        "torch==2.6.0",
    ]


def test_a_loosened_pin_that_does_not_fit_stays_and_is_a_conflict() -> None:
    result = again(EDITED, inventory(**{**NOW, "numpy": "2.1.0"}))
    assert parse_contract(result.contract_text, "c").pins["numpy"] == ">=1.26,<2"
    assert result.conflicts == ("c.yaml:13 pins numpy >=1.26,<2, and 2.1.0 is installed; the pin is left as it is",)


def test_a_version_that_cannot_be_compared_leaves_the_pin_and_is_a_conflict() -> None:
    result = again(EDITED, inventory(**{**NOW, "ray": "2.9ubuntu1"}))
    assert parse_contract(result.contract_text, "c").pins["ray"] == "2.9.1"
    assert result.conflicts == ("c.yaml:9 pins ray 2.9.1, and the version that is installed cannot be compared",)


PINS = [
    pytest.param(
        "pins: {a: 1.0, b: 2.0}  # c\n", "pins: {a: 1.1, b: 2.0}  # c\n", {"a": "1.1", "b": "2.0"}, id="in braces"
    ),
    pytest.param(
        "pins: {B: '2.0', gone: 1}  # c\n",
        'pins:  # c\n  a: "1.1"\n  b: "2.0"\n',
        {"a": "1.1", "b": "2.0"},
        id="unfolded",
    ),
    pytest.param("pins: {gone: 1}\n", "pins: {}\n", {}, id="braces emptied"),
    pytest.param("pins:\n  gone: 1 # c\nrequires: true\n", "pins: {}\nrequires: true\n", {}, id="emptied"),
    pytest.param("pins: {}  # c\nrequires: true", 'pins:  # c\n  a: "1.1"\nrequires: true', {"a": "1.1"}, id="filled"),
    pytest.param("requires: true", 'requires: true\n\npins:\n  a: "1.1"', {"a": "1.1"}, id="absent"),
    pytest.param("requires: true", "requires: true", {}, id="absent, none"),
    pytest.param("pins:\n  a: 1.0", "pins:\n  a: 1.1", {"a": "1.1"}, id="no end of line"),
    pytest.param("pins:\n  a: 1.0", 'pins:\n  a: 1.1\n  b: "2.0"', {"a": "1.1", "b": "2.0"}, id="added at the end"),
    pytest.param(
        "pins:\n  # about m\n  m: 1.0.0\n",
        'pins:\n  a: "1.1"\n  # about m\n  m: 1.0.0\n',
        {"a": "1.1", "m": "1.0.0"},
        id="a comment stays above its pin",
    ),
    pytest.param(
        "pins:\n   z: 1.0.0\n   m: 1.0.0\n",
        'pins:\n   z: 1.0.0\n   m: 1.0.0\n   mm: "3"\n',
        {"z": "1.0.0", "m": "1.0.0", "mm": "3"},
        id="an order of one's own and three spaces",
    ),
    pytest.param("pins:\n  a: 1.10\n", "pins:\n  a: 1.10\n", {"a": "1.10.0"}, id="equal versions are no change"),
    pytest.param('pins:\n  a: "== 1.0"\n', 'pins:\n  a: "==1.1"\n', {"a": "1.1"}, id="exact by specifier"),
    pytest.param("pins:\n  a: 1.9.9\n", 'pins:\n  a: "1.10"\n', {"a": "1.10"}, id="quotes where they begin to matter"),
    pytest.param(
        "pins:\n  a:\n    1.0.0\n", "pins:\n  a:\n    1.0.1\n", {"a": "1.0.1"}, id="value on a line of its own"
    ),
    pytest.param(
        "pins:\n  a: |-\n    1.0\n  b: 1.0.0\n", "pins:\n  b: 1.0.0\n", {"b": "1.0.0"}, id="block text removed"
    ),
    pytest.param(
        "pins:\n  a: &v 1.0.0\n  b: *v\n",
        "pins:\n  a: &v 1.0.1\n  b: 1.0.1\n",
        {"a": "1.0.1", "b": "1.0.1"},
        id="anchor",
    ),
    pytest.param(
        "pins:\n  a: &v 1.0.0\n  b: *v\n",
        "pins:\n  a: &v 1.0.0\n  b: 1.0.1\n",
        {"a": "1.0.0", "b": "1.0.1"},
        id="alias",
    ),
    pytest.param(
        "pins:\r\n  a: 1.0.0\r\n", "pins:\r\n  a: 1.0.1\r\n  b: 1.0.0\r\n", {"a": "1.0.1", "b": "1.0.0"}, id="windows"
    ),
]


@pytest.mark.parametrize(("before", "after", "versions"), PINS)
def test_pins_are_edited_in_place(before: str, after: str, versions: dict[str, str]) -> None:
    assert pins_after(before, inventory(**versions)) == after


@pytest.mark.parametrize(
    ("options", "after"),
    [
        pytest.param({"only": ["b"]}, "pins:\n  a: 1.0.0\n  b: 2.0.1\n  gone: 3.0.0\n", id="only leaves others alone"),
        pytest.param({"only": ["c"]}, 'pins:\n  a: 1.0.0\n  b: 2.0.0\n  c: "4"\n  gone: 3.0.0\n', id="only one new"),
        pytest.param({"exclude": ["a", "c"]}, "pins:\n  b: 2.0.1\n", id="exclude takes out"),
    ],
)
def test_a_choice_limits_the_change(options: dict[str, object], after: str) -> None:
    before = "pins:\n  a: 1.0.0\n  b: 2.0.0\n  gone: 3.0.0\n"
    assert pins_after(before, inventory(a="1.0.1", b="2.0.1", c="4"), **options) == after


def test_pip_follows_once_it_is_pinned() -> None:
    assert pins_after("pins:\n  pip: 24.0.1\n", inventory(pip="24.0.2")) == "pins:\n  pip: 24.0.2\n"


def test_what_the_extended_contract_pins_is_not_pinned_again() -> None:
    platform = parse_contract("imgcheck: 1\npins: {a: 1.0, numpy: '<2'}\n", "platform.yaml")
    text = "imgcheck: 1\nextends: platform.yaml\npins:\n  b: 1.0.0\n"
    result = again(text, inventory(a="1.0", numpy="2.1", b="1.0.0", c="1.2.3"), inherited=platform)
    assert parse_contract(result.contract_text, "c").pins == {"b": "1.0.0", "c": "1.2.3"}
    assert result.conflicts == ("the contract that this one extends pins numpy <2, and 2.1 is installed",)
    assert result.constraints_text.splitlines()[1:] == ["a==1.0", "b==1.0.0", "c==1.2.3", "numpy<2"]


BASES = [
    pytest.param(
        "# top\nimgcheck: 1 # v\nextends: x.yaml\npins: {}\n",
        f'# top\nimgcheck: 1 # v\nextends: x.yaml\nbase:\n  image: "{REFERENCE}"\n  digest: "{ID}"\n'
        'python: "3.11"\npins: {}\n',
        id="absent",
    ),
    pytest.param(
        f"imgcheck: 1\nbase:\n    image: {REFERENCE}  # i\npython: 3.10.2\n",
        f'imgcheck: 1\nbase:\n    image: {REFERENCE}  # i\n    digest: "{ID}"\npython: 3.11.7\n',
        id="no digest, whole version",
    ),
    pytest.param(
        "imgcheck: 1\nbase: {image: other:1}\npython: /opt/venv/bin/python\n",
        f'imgcheck: 1\nbase: {{image: "{REFERENCE}", digest: "{ID}"}}\npython: /opt/venv/bin/python\n',
        id="another base, an interpreter's path",
    ),
]


@pytest.mark.parametrize(("before", "after"), BASES)
def test_the_base_is_brought_up_to_date(before: str, after: str) -> None:
    assert again(before, inventory()).contract_text == after


def test_a_digest_that_names_the_same_content_stays() -> None:
    pushed = image(f"registry.example/ml/base@{OLD_DIGEST}")
    text = f'imgcheck: 1\nbase: {{image: "{REFERENCE}", digest: "{ID}"}}\npython: "3.11"\n'
    assert freeze(pushed, inventory(), reference=REFERENCE, path="c.yaml", existing=text).contract_text == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("{imgcheck: 1, pins: {a: 1}}", "c.yaml: cannot be edited: it is one {…}", id="braces"),
        pytest.param(
            "imgcheck: 1\npins: {\n  b: 1, # why\n}\n",
            "c.yaml:2: pins: cannot be edited: comments stand inside {…}",
            id="comments in braces",
        ),
        pytest.param(
            "imgcheck: 1\npins:\n  b: &v 1.0\n  a: *v\nruntime: {env: {V: *v}}\n",
            "c.yaml: cannot be edited, because of the anchors, aliases or merge keys in it",
            id="an anchor that would go",
        ),
        pytest.param(
            "imgcheck: 1\nruntime: {env: &e {a: 1.0}}\npins: {<<: *e}\n",
            "c.yaml: cannot be edited, because of the anchors, aliases or merge keys in it",
            id="merged in",
        ),
        pytest.param("imgcheck: 1\npinz: {}\n", "c.yaml:2: pinz: is not a known key; did you mean 'pins'?", id="wrong"),
    ],
)
def test_what_cannot_be_edited_is_refused(text: str, message: str) -> None:
    with pytest.raises(ContractError) as caught:
        again(text, inventory(distribution("a", "1.1")))
    assert caught.value.message == message

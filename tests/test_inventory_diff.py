from __future__ import annotations

import json
from typing import Any

import pytest

from imgcheck.facts.model import Distribution, InterpreterFacts, Inventory
from imgcheck.inventory_diff import Change, Direction, Installed, InventoryDiff, Moved, diff
from imgcheck.report.diff_table import render_diff, render_diff_json


def dist(name: str, version: str, **fields: Any) -> Distribution:
    return Distribution(
        name=name,
        version=version,
        location="/lib",
        metadata_path=f"/lib/{name}.dist-info",
        kind="dist-info",
        **fields,
    )


def inventory(*distributions: Distribution, python: str = "3.11.7") -> Inventory:
    interpreter = InterpreterFacts(
        executable="/usr/bin/python",
        version=python,
        implementation="CPython",
        prefix="/usr",
        base_prefix="/usr",
        path=("/lib",),
        markers={},
        extension_suffixes=(),
        platform="linux-x86_64",
        uid=0,
        gid=0,
    )
    return Inventory(interpreter=interpreter, distributions=distributions, cpu_seconds=0.1)


def of(before: Distribution, after: Distribution) -> InventoryDiff:
    return diff(inventory(before), inventory(after))


def test_added_and_removed_in_the_order_of_names() -> None:
    found = diff(
        inventory(dist("Zed", "1"), dist("same", "1")), inventory(dist("same", "1"), dist("b", "2"), dist("a", "1"))
    )
    assert found.added == (Installed(name="a", version="1"), Installed(name="b", version="2"))
    assert found.removed == (Installed(name="zed", version="1"),)
    assert found.same == 1


@pytest.mark.parametrize(
    ("before", "after", "direction"),
    [
        pytest.param("4.25.3", "3.20.3", Direction.DOWN, id="down"),
        pytest.param("1.9", "1.10", Direction.UP, id="up-by-number-not-by-letter"),
        pytest.param("2.0rc1", "2.0", Direction.UP, id="prerelease"),
        pytest.param("2004d", "what", Direction.ASIDE, id="not-to-be-compared"),
    ],
)
def test_moved(before: str, after: str, direction: Direction) -> None:
    found = of(dist("x", before), dist("x", after))
    assert found.moved == (Moved(name="x", before=before, after=after, direction=direction),)
    assert not found.rebuilt


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        pytest.param(
            dist("torch", "2.1.0"),
            dist("torch", "2.1.0+cu121"),
            Change(what="local version", before="", after="cu121"),
            id="local-version",
        ),
        pytest.param(
            dist("x", "1", wheel_tags=("cp311-cp311-linux_x86_64",)),
            dist("x", "1", wheel_tags=("py3-none-any",)),
            Change(what="wheel tags", before="cp311-cp311-linux_x86_64", after="py3-none-any"),
            id="wheel-tags",
        ),
        pytest.param(
            dist("x", "1"),
            dist("x", "1", direct_url='{"url":"file:///x"}'),
            Change(what="direct URL", before="", after='{"url": "file:///x"}'),
            id="direct-url",
        ),
        pytest.param(
            dist("x", "1", installer="pip"),
            dist("x", "1", installer="conda"),
            Change(what="installer", before="pip", after="conda"),
            id="installer",
        ),
    ],
)
def test_rebuilt(before: Distribution, after: Distribution, change: Change) -> None:
    found = of(before, after)
    assert found.rebuilt[0].changes == (change,)
    assert (found.moved, found.same) == ((), 0)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(dist("x", "1.0"), dist("X", "1.0.0"), id="one-version-in-two-spellings"),
        pytest.param(dist("x", "odd one"), dist("x", "odd one"), id="no-version"),
        pytest.param(dist("x", "1", wheel_tags=("a", "b")), dist("x", "1", wheel_tags=("b", "a")), id="order-of-tags"),
        pytest.param(
            dist("x", "1", direct_url='{"a":1,"b":2}'),
            dist("x", "1", direct_url='{"b": 2, "a": 1}'),
            id="layout-of-json",
        ),
    ],
)
def test_the_same(before: Distribution, after: Distribution) -> None:
    found = of(before, after)
    assert not found
    assert found.same == 1


def test_a_direct_url_that_is_no_json() -> None:
    assert of(dist("x", "1", direct_url="{"), dist("x", "1")).rebuilt[0].changes[0].before == "{"


def test_of_two_the_first_on_the_path_counts() -> None:
    found = diff(inventory(dist("x", "1")), inventory(dist("x", "1"), dist("x", "2")))
    assert not found


def test_another_python_is_a_difference() -> None:
    found = diff(inventory(), inventory(python="3.12.1"))
    assert found
    assert found.python == Change(what="python", before="3.11.7", after="3.12.1")


EVERYTHING = diff(
    inventory(
        dist("protobuf", "4.25.3"), dist("numpy", "1.26.4"), dist("torch", "2.1.0"), dist("gone", "1"), dist("s", "1")
    ),
    inventory(
        dist("protobuf", "3.20.3"),
        dist("numpy", "2.1.0"),
        dist(
            "torch",
            "2.1.0+cu121",
            direct_url='{"url": "file:///wheels/torch-2.1.0+cu121-cp311.whl"}',
        ),
        dist("new\x1b[2J", "1"),
        dist("s", "1"),
        python="3.11.9",
    ),
)


def test_the_table_is_aligned_and_neutral() -> None:
    assert render_diff(EVERYTHING, "base:1", "train:1").splitlines() == [
        "base:1 → train:1",
        "",
        "           distribution   before           after",
        "* changed  Python itself  3.11.7           3.11.9",
        "↑ up       numpy          1.26.4           2.1.0",
        "↓ down     protobuf       4.25.3           3.20.3",
        "~ rebuilt  torch          local version -  cu121",
        '                          direct URL -     {"url": "file:///wheels/torch-2.1.0+cu121-cp311.whl"}',
        "- removed  gone           1",
        r"+ added    new\x1b[2j                      1",
        "",
        "Python changed, 2 moved, 1 rebuilt, 1 removed, 1 added; 1 distribution the same",
    ]


def test_no_difference_is_said() -> None:
    same = inventory(dist("x", "1"))
    assert render_diff(diff(same, same), "a", "b") == "a → b\n\nno difference; 1 distribution the same\n"


def test_json_has_a_format_and_every_kind() -> None:
    told = json.loads(render_diff_json(EVERYTHING, "base:1", "train:1"))
    assert told["format"] == 1
    assert told["moved"][1] == {"name": "protobuf", "before": "4.25.3", "after": "3.20.3", "direction": "down"}
    assert told["rebuilt"][0]["changes"][0] == {"what": "local version", "before": "", "after": "cu121"}
    assert set(told) == {"format", "before", "after", "added", "removed", "moved", "rebuilt", "same", "python"}

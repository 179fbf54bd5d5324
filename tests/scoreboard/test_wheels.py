"""Which wheel of the folder is taken for a pin, and what is fetched."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.tags import Tag

from tests.scoreboard.wheels import WheelError, Wheels, batches, link, tags


def wheels_of(folder: Path, *names: str) -> Wheels:
    for name in names:
        (folder / name).touch()
    return Wheels(folder, "bookworm", lambda pin, into: (into / f"{pin.replace('==', '-')}-py3-none-any.whl").touch())


@pytest.mark.parametrize(
    ("pin", "name"),
    [
        pytest.param("one==1.0", "one-1.0-py3-none-any.whl", id="plain"),
        pytest.param("One.Two==1.0", "one_two-1.0-py3-none-any.whl", id="a name written otherwise"),
        pytest.param("torch==2.13.0", "torch-2.13.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl", id="a local build"),
        pytest.param("fast==3.0", "fast-3.0-cp38-abi3-manylinux2014_x86_64.whl", id="a stable ABI"),
    ],
)
def test_a_wheel_that_fits_is_taken(tmp_path: Path, pin: str, name: str) -> None:
    assert wheels_of(tmp_path, name).of([pin], []) == (tmp_path / name,)


def test_a_wheel_is_built_where_only_the_source_is_there(tmp_path: Path) -> None:
    found = wheels_of(tmp_path).of(["one==1.0"], ["One"])
    assert found == (tmp_path / "one-1.0-py3-none-any.whl",)


def test_a_build_that_made_nothing_is_told(tmp_path: Path) -> None:
    wheels = Wheels(tmp_path, "bookworm", lambda _pin, _into: None)
    with pytest.raises(WheelError, match=r"one==1\.0: no wheel for bookworm"):
        wheels.of(["one==1.0"], ["one"])


def test_the_tags_are_those_of_the_image_not_of_this_machine() -> None:
    assert Tag("cp311", "cp311", "manylinux_2_36_x86_64") in tags("bookworm")
    assert Tag("cp311", "cp311", "manylinux_2_37_x86_64") not in tags("bookworm")
    assert Tag("cp39", "cp39", "manylinux2014_x86_64") in tags("bullseye")
    assert Tag("py3", "none", "any") in tags("trixie")


def test_linked_wheels_are_the_same_files(tmp_path: Path) -> None:
    (tmp_path / "one-1.0-py3-none-any.whl").write_text("x", "utf-8")
    link([tmp_path / "one-1.0-py3-none-any.whl"], tmp_path / "context")
    assert (tmp_path / "context/one-1.0-py3-none-any.whl").samefile(tmp_path / "one-1.0-py3-none-any.whl")


def test_pip_is_asked_for_one_version_at_a_time() -> None:
    assert batches(["one==1.0", "two==1.0", "One==2.0"]) == [["one==1.0", "two==1.0"], ["One==2.0"]]

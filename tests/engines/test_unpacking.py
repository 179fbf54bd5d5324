"""Layers over one another, and what a hostile one tries: nothing leaves the folder, everything is bounded."""

from __future__ import annotations

import os
import stat
import tarfile
from pathlib import Path

import pytest

from imgcheck.engines.image_file import open_image
from imgcheck.engines.unpacking import Unpacked
from imgcheck.errors import UsageError
from tests.image_archives import Entry, as_tar, docker_files, layer, link, of_kind


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret").write_text("not to be touched", "utf-8")
    return folder


def unpack(tmp_path: Path, *layers: list[Entry], largest: int = 1 << 30, most: int = 1000) -> tuple[Path, Unpacked]:
    tree = tmp_path / "tree"
    tree.mkdir()
    found = Unpacked(tree, largest=largest, most=most)
    with open_image(as_tar(tmp_path / "image.tar", docker_files([layer(one) for one in layers]))) as image:
        for one in image.layers:
            found.add(one)
    return tree, found


def text(tree: Path, name: str) -> str:
    return (tree / name).read_text("utf-8")


def names(tree: Path) -> set[str]:
    return {str(one.relative_to(tree)) for one in tree.rglob("*")}


def test_a_later_layer_replaces_and_removes(tmp_path: Path) -> None:
    tree, found = unpack(
        tmp_path,
        [("opt", None), ("opt/a", "1"), ("opt/b", "1"), ("opt/c", None), ("opt/c/d", "1")],
        [("opt/a", "2"), ("opt/.wh.b", ""), ("opt/.wh.c", "")],
    )
    assert names(tree) == {"opt", "opt/a"}
    assert text(tree, "opt/a") == "2"
    assert set(found.owned) == {"/opt", "/opt/a"}


@pytest.mark.parametrize("first", [True, False], ids=["before", "behind"])
def test_an_opaque_folder_hides_what_is_below_wherever_its_mark_stands(tmp_path: Path, first: bool) -> None:
    mark, brought = ("opt/.wh..wh..opq", ""), [("opt/new", "2"), ("opt/kept", None), ("opt/kept/new", "2")]
    tree, _ = unpack(
        tmp_path,
        [("opt", None), ("opt/old", "1"), ("opt/kept", None), ("opt/kept/old", "1")],
        [("opt", None), mark, *brought] if first else [("opt", None), *brought, mark],
    )
    assert names(tree) == {"opt", "opt/new", "opt/kept", "opt/kept/new"}


def test_a_folder_takes_the_place_of_a_file_and_a_file_that_of_a_folder(tmp_path: Path) -> None:
    tree, _ = unpack(tmp_path, [("a", "1"), ("b", None), ("b/c", "1")], [("a", None), ("a/d", "2"), ("b", "2")])
    assert names(tree) == {"a", "a/d", "b"}


def test_links_are_those_of_the_image(tmp_path: Path) -> None:
    tree, _ = unpack(
        tmp_path,
        [
            ("usr/lib", None),
            ("lib", link("usr/lib")),
            ("lib/one", "1"),
            ("abs", link("/usr/lib/one")),
            ("hard", link("lib/one", tarfile.LNKTYPE)),
        ],
        [("hard2", link("usr/lib/one", tarfile.LNKTYPE)), ("lib/two", "2")],
    )
    assert text(tree, "usr/lib/one") == "1"
    assert text(tree, "usr/lib/two") == "2"
    assert (tree / "abs").readlink() == Path("/usr/lib/one")
    assert (tree / "hard").samefile(tree / "hard2")


def test_owners_and_rights_go_into_the_table_and_not_onto_this_machine(tmp_path: Path) -> None:
    def program(member: tarfile.TarInfo) -> None:
        member.mode, member.uid, member.gid = 0o4755, 1000, 50

    tree, found = unpack(tmp_path, [("su", program)])
    assert found.owned["/su"] == (0o4755, 1000, 50)
    assert stat.S_IMODE((tree / "su").stat().st_mode) == 0o600
    assert (tree / "su").stat().st_uid == os.getuid()
    assert (tree / "su").stat().st_mtime == 1_700_000_000


def test_nothing_is_written_through_a_link(tmp_path: Path, outside: Path) -> None:
    tree, _ = unpack(
        tmp_path,
        [("evil", link(str(outside))), ("up", link("../../../../../.." + str(outside)))],
        [("evil/secret", "changed"), ("up/more", "new"), ("evil/.wh.secret2", "")],
    )
    assert (outside / "secret").read_text("utf-8") == "not to be touched"
    assert {one.name for one in outside.iterdir()} == {"secret"}
    assert text(tree, str(outside)[1:] + "/secret") == "changed"


def test_a_file_is_not_written_through_a_link_of_its_own_name(tmp_path: Path, outside: Path) -> None:
    tree, _ = unpack(tmp_path, [("one", link(str(outside / "secret")))], [("one", "changed")])
    assert (outside / "secret").read_text("utf-8") == "not to be touched"
    assert text(tree, "one") == "changed"


def test_a_hard_link_leads_to_no_file_of_this_machine(tmp_path: Path, outside: Path) -> None:
    with pytest.raises(UsageError, match="cannot be laid out: No such file"):
        unpack(tmp_path, [("one", link(str(outside / "secret"), tarfile.LNKTYPE))])


def test_a_whiteout_removes_nothing_outside(tmp_path: Path, outside: Path) -> None:
    unpack(tmp_path, [("evil", link(str(outside)))], [("evil/.wh.secret", ""), ("evil/.wh..wh..opq", "")])
    assert (outside / "secret").exists()


def test_devices_and_pipes_are_left_out(tmp_path: Path) -> None:
    kinds = (tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE)
    tree, _ = unpack(tmp_path, [(f"dev/{number}", of_kind(kind)) for number, kind in enumerate(kinds)])
    assert names(tree) == {"dev"}


def test_an_absolute_name_is_one_of_the_image(tmp_path: Path) -> None:
    tree, _ = unpack(tmp_path, [("/etc/hostname", "image"), ("./etc/./issue", "x")])
    assert names(tree) == {"etc", "etc/hostname", "etc/issue"}


@pytest.mark.parametrize("name", ["../one", "a/../../one", "/..", ".."])
def test_a_name_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="leads out of the image"):
        unpack(tmp_path, [(name, "x")])


def test_links_in_a_circle_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be laid out: Too many levels"):
        unpack(tmp_path, [("a", link("b")), ("b", link("a"))], [("a/one", "x")])


def test_bytes_are_bounded(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="more than 100 bytes"):
        unpack(tmp_path, [("a", "x" * 60), ("b", "x" * 60)], largest=100)


def test_entries_are_bounded(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="more than 3 entries"):
        unpack(tmp_path, [("a", "x"), ("b", "x"), ("c", "x"), ("d", "x")], most=3)


def test_holes_count_as_bytes(tmp_path: Path) -> None:
    def sparse(member: tarfile.TarInfo) -> None:
        member.pax_headers = {
            "GNU.sparse.major": "0",
            "GNU.sparse.minor": "1",
            "GNU.sparse.name": "hole",
            "GNU.sparse.realsize": str(1 << 50),
            "GNU.sparse.map": "0,0",
            "GNU.sparse.size": str(1 << 50),
        }

    with pytest.raises(UsageError, match="more than 1,073,741,824 bytes"):
        unpack(tmp_path, [("hole", sparse)])


def test_a_layer_that_was_changed_is_refused(tmp_path: Path) -> None:
    files = docker_files([layer([("a", "1")])])
    name = next(one for one, data in files.items() if b"ustar" in data)
    path = as_tar(tmp_path / "image.tar", {**files, name: layer([("a", "2")])})
    (tmp_path / "tree").mkdir()
    with open_image(path) as image, pytest.raises(UsageError, match="other content than the image's configuration"):
        Unpacked(tmp_path / "tree").add(image.layers[0])


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfileobj", full)
    with pytest.raises(UsageError, match="does not fit into") as told:
        unpack(tmp_path, [("a", "1")])
    assert "TMPDIR" in told.value.remedy

"""Both files are whole, or as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from imgcheck.contract.freeze import Frozen, write_frozen
from imgcheck.errors import UsageError

FROZEN = Frozen(
    contract_text="imgcheck: 1\r\n", constraints_text="a==1\n", constraints_name="base.constraints.txt", changes=()
)


def test_both_files_are_written_to_the_byte(tmp_path: Path) -> None:
    write_frozen(FROZEN, tmp_path / "base.yaml")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "base.yaml": b"imgcheck: 1\r\n",
        "base.constraints.txt": b"a==1\n",
    }


def test_the_mode_and_a_link_are_kept(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "base.yaml").write_text("old", "utf-8")
    (real / "base.yaml").chmod(0o640)
    link = tmp_path / "link.yaml"
    link.symlink_to(real / "base.yaml")
    write_frozen(FROZEN, link)
    assert link.is_symlink()
    assert (real / "base.yaml").read_bytes() == b"imgcheck: 1\r\n"
    assert (real / "base.yaml").stat().st_mode & 0o777 == 0o640
    assert (real / "base.constraints.txt").exists()


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    path = tmp_path / "no" / "base.yaml"
    with pytest.raises(UsageError) as caught:
        write_frozen(FROZEN, path)
    assert caught.value.message == f"{path} cannot be written: No such file or directory"


def test_a_folder_in_the_way_stops_before_anything_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("old", "utf-8")
    (tmp_path / "base.constraints.txt").mkdir()
    with pytest.raises(UsageError) as caught:
        write_frozen(FROZEN, tmp_path / "base.yaml")
    assert caught.value.message == f"{tmp_path / 'base.constraints.txt'} is a folder"
    assert (tmp_path / "base.yaml").read_text("utf-8") == "old"


def test_a_full_disk_leaves_everything_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "base.yaml").write_text("old", "utf-8")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(UsageError) as caught:
        write_frozen(FROZEN, tmp_path / "base.yaml")
    assert caught.value.message == f"{tmp_path / 'base.yaml'} cannot be written: No space left on device"
    assert [path.name for path in tmp_path.iterdir()] == ["base.yaml"]
    assert (tmp_path / "base.yaml").read_text("utf-8") == "old"

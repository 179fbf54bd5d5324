"""A file is whole or as it was, and what a killed run left is known by its name."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from imgcheck import drafts
from imgcheck.drafts import draft, draft_folder, drafts_of_killed_runs, write_whole
from imgcheck.run_mark import this_run

KILLED = f"imgcheck-{replace(this_run(), ticks=1)}-"


def test_a_file_is_replaced_and_its_mode_kept(tmp_path: Path) -> None:
    target = tmp_path / ("n" * 250)
    target.write_text("old")
    target.chmod(0o640)
    write_whole(target, b"new")
    assert (target.read_bytes(), target.stat().st_mode & 0o777) == (b"new", 0o640)
    assert list(tmp_path.iterdir()) == [target]


def test_a_disk_that_is_full_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    target = tmp_path / "report.json"
    target.write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(target, b"new")
    assert [one.read_text() for one in tmp_path.iterdir()] == ["old"]


def test_an_interrupt_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    target = tmp_path / "report.json"
    target.write_text("old")
    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(target, b"new")
    assert [one.read_text() for one in tmp_path.iterdir()] == ["old"]


def test_the_next_write_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    (tmp_path / f".{KILLED}0123abcd").write_text("half")
    write_whole(tmp_path / "report.json", b"new")
    assert [one.name for one in tmp_path.iterdir()] == ["report.json"]


def test_a_link_is_followed_and_a_pipe_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    write_whole(Path(os.devnull), b"new")
    assert Path(os.devnull).is_char_device()


def test_only_drafts_of_runs_that_are_over_are_found(tmp_path: Path) -> None:
    kept = [draft(tmp_path / "mine", b""), tmp_path / "imgcheck-report.json", tmp_path / "imgcheck-build-0123abcd"]
    for one in kept[1:]:
        one.write_text("")
    left = [tmp_path / f".{KILLED}0123abcd", tmp_path / f"{KILLED}0123_xyz"]
    left[0].write_text("four")
    (left[1] / "inside").mkdir(parents=True)
    (left[1] / "out").symlink_to(tmp_path / "mine")
    assert drafts_of_killed_runs(tmp_path) == tuple(left)
    assert drafts.size_of(left[0]) == 4
    assert all(map(drafts.remove, left))
    assert sorted(tmp_path.iterdir()) == sorted(kept)


def test_a_folder_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert drafts_of_killed_runs(tmp_path / "nowhere") == ()


def test_a_folder_of_a_moment_has_a_name_that_is_found_again(tmp_path: Path) -> None:
    with draft_folder(tmp_path) as folder:
        assert drafts.maker_of(folder) == this_run()
    assert not folder.exists()

from __future__ import annotations

import os
from pathlib import Path

import pytest

from imgcheck.errors import UsageError
from imgcheck.report.files import Destination, check_destination, parse_destination, write_report


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("json=out.json", Destination(format="json", path=Path("out.json")), id="file"),
        pytest.param("json=a=b", Destination(format="json", path=Path("a=b")), id="equals-in-the-path"),
        pytest.param("json=-", Destination(format="json"), id="stdout"),
        pytest.param("text", Destination(format="text"), id="format-alone"),
    ],
)
def test_destinations(text: str, expected: Destination) -> None:
    assert parse_destination(text) == expected


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        pytest.param("jsn=out", "Did you mean json?", id="near-miss"),
        pytest.param("out.xml", "Write it as FORMAT=PATH, such as json=report.json.", id="no-format"),
        pytest.param("json=", "Write json=PATH, or json=- for stdout.", id="no-file"),
    ],
)
def test_a_wrong_destination_is_told_with_a_way_out(text: str, remedy: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_destination(text)
    assert caught.value.remedy == remedy


def test_a_folder_that_is_not_there_stops_the_run_before_it_starts(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        check_destination(Destination(format="json", path=tmp_path / "none" / "out.json"))
    with pytest.raises(UsageError, match="is a folder"):
        check_destination(Destination(format="json", path=tmp_path))
    check_destination(Destination(format="json", path=tmp_path / "out.json"))
    check_destination(Destination(format="json"))


def test_a_folder_that_cannot_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(UsageError, match="cannot be written"):
        check_destination(Destination(format="json", path=tmp_path / "out.json"))


def test_a_report_replaces_the_old_one_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("old", "utf-8")
    write_report("✓ new\n", path)
    assert path.read_text("utf-8") == "✓ new\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real")
    write_report("x", link)
    assert link.is_symlink()
    assert (tmp_path / "real").read_text("utf-8") == "x"


def test_a_failed_write_leaves_the_old_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Path, target: Path) -> None:
        raise OSError("disk full")

    path = tmp_path / "out.json"
    path.write_text("old", "utf-8")
    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_report("new", path)
    assert path.read_text("utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_report("through the pipe", pipe)
        assert os.read(reader, 100) == b"through the pipe"
    finally:
        os.close(reader)
    assert pipe.is_fifo()

from __future__ import annotations

from pathlib import Path

import pytest

from imgcheck.errors import ExitCode, UsageError
from imgcheck.locking import fixing
from imgcheck.locking.fixing import changed_files, settled, shown
from imgcheck.requirements.files import read_requirement_file


def test_a_line_is_replaced_and_its_marker_kept(tmp_path: Path) -> None:
    path = tmp_path / "r.in"
    path.write_text("# why\ntool==1.0 ; os_name == 'posix'\nsix\n", "utf-8")
    line = read_requirement_file(path).asked[0]
    assert changed_files(((line, "tool==2.0"),)) == {path: '# why\ntool==2.0 ; os_name == "posix"\nsix\n'}


def test_the_patch_is_shown_and_only_applied_when_told_to(tmp_path: Path) -> None:
    path, lock = tmp_path / "r.in", tmp_path / "r.txt"
    path.write_text("tool==1.0\n", "utf-8")
    changes = {path: "tool==2.0\n", lock: "tool==2.0\nsix==1\n"}
    proposed = settled(changes, ("because",), apply=False)
    assert proposed.exit_code == ExitCode.BROKEN
    assert f"--- {path}\n+++ {path}\n@@ -1 +1 @@\n-tool==1.0\n+tool==2.0\n" in shown(proposed)
    assert path.read_text("utf-8") == "tool==1.0\n"
    assert settled(changes, (), apply=True).exit_code == ExitCode.KEPT
    assert (path.read_text("utf-8"), lock.read_text("utf-8")) == tuple(changes.values())
    assert settled(changes, (), apply=True).headline == "nothing is to be changed"


def test_where_one_file_cannot_be_written_the_others_are_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, new = tmp_path / "r.in", tmp_path / "new.txt"
    path.write_text("old\n", "utf-8")
    with pytest.raises(UsageError):
        fixing._write_all(
            {path: "changed\n", new: "x\n", tmp_path / "gone" / "l.txt": "y\n"}, {path: "old\n", new: None}
        )
    assert path.read_text("utf-8") == "old\n"
    assert not new.exists()

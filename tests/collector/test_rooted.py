"""A folder in the place of "/": links stay inside, modes are the image's, nothing of this machine is seen."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from imgcheck.collector.rooted import Owned, Root, User, View

ROOT_USER = User(0, (0,))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("of this machine", "utf-8")
    tree = tmp_path / "tree"
    for folder in ("usr/lib", "etc", "opt/app"):
        (tree / folder).mkdir(parents=True)
    (tree / "usr/lib/one").write_text("1", "utf-8")
    links = {
        "lib": "usr/lib",
        "opt/app/up": "../../etc",
        "opt/app/far": "../../../../../../../../etc",
        "abs": "/usr/lib/one",
        "away": str(outside / "secret"),
        "folder": str(outside),
        "self": "self",
        "a": "b",
        "b": "a",
        "nowhere": "/no/such",
    }
    for name, target in links.items():
        (tree / name).symlink_to(target)
    os.mkfifo(tree / "pipe")
    return tree


def view(tree: Path, user: User = ROOT_USER, owned: dict[str, Owned] | None = None) -> View:
    return View(Root(str(tree), {"/proc/self/exe": "/usr/lib/one"}), owned or {}, user, "/opt/app")


@pytest.mark.parametrize(
    ("path", "real"),
    [
        ("/usr/lib/one", "/usr/lib/one"),
        ("/lib/one", "/usr/lib/one"),
        ("/abs", "/usr/lib/one"),
        ("//usr/./lib//one", "/usr/lib/one"),
        ("/opt/app/up", "/etc"),
        ("/opt/app/up/..", ""),
        ("/lib/../lib/one", "/usr/lib/one"),
        ("/opt/app/far/x", "/etc/x"),
        ("/../../../etc", "/etc"),
        ("/nowhere", "/no/such"),
        ("/", ""),
    ],
)
def test_links_are_followed_inside(tree: Path, path: str, real: str) -> None:
    assert Root(str(tree)).real(path) == real


@pytest.mark.parametrize("path", ["/away", "/folder/secret", "/folder/../secret"])
def test_no_link_leads_out(tree: Path, path: str) -> None:
    assert Root(str(tree)).host(path).startswith(str(tree) + "/")
    with pytest.raises(FileNotFoundError):
        view(tree).open_file(path)
    assert not view(tree).access(path, os.R_OK)


@pytest.mark.parametrize("path", ["/self", "/a", "/a/b"])
def test_circles_end(tree: Path, path: str) -> None:
    with pytest.raises(OSError, match="Too many levels"):
        Root(str(tree)).real(path)


def test_the_program_that_runs_is_the_images(tree: Path) -> None:
    with view(tree).open_file("/proc/self/exe") as file:
        assert file.read() == "1"
    assert view(tree).readlink("/proc/self/exe") == "/usr/lib/one"


def test_relative_paths_begin_in_the_working_folder(tree: Path) -> None:
    assert view(tree).listdir("up") == []
    assert view(tree).getcwd() == "/opt/app"


def test_entries_are_told_as_scandir_does(tree: Path) -> None:
    with view(tree).scandir("/") as entries:
        found = {one.name: one for one in entries}
    assert found["lib"].is_symlink()
    assert found["lib"].is_dir()
    assert not found["lib"].is_dir(follow_symlinks=False)
    assert found["abs"].is_file()
    assert not found["away"].is_file()
    assert found["usr"].path == "/usr"
    assert stat.S_ISLNK(found["nowhere"].stat(follow_symlinks=False).st_mode)


def test_owners_and_modes_are_the_images(tree: Path) -> None:
    seen = view(tree, owned={"/usr/lib/one": (0o4750, 0, 7)}).stat("/abs")
    assert (stat.S_IMODE(seen.st_mode), seen.st_uid, seen.st_gid, seen.st_size) == (0o4750, 0, 7, 1)
    assert stat.S_ISREG(seen.st_mode)


@pytest.mark.parametrize(
    ("mode", "user", "may"),
    [
        (0o600, User(1000, (1000,)), False),
        (0o640, User(1000, (1000, 7)), True),
        (0o604, User(1000, (1000,)), True),
        (0o040, User(5, (7,)), False),  # its owner's own class counts
        (0o000, ROOT_USER, True),
    ],
)
def test_what_the_images_user_may_read(tree: Path, mode: int, user: User, may: bool) -> None:
    looked = view(tree, user, {"/usr/lib/one": (mode, 5, 7), "/usr": (0o755, 0, 0), "/usr/lib": (0o755, 0, 0)})
    assert looked.access("/usr/lib/one", os.R_OK) is may
    if not may:
        with pytest.raises(PermissionError):
            looked.open_file("/usr/lib/one")


def test_a_closed_folder_closes_what_is_in_it(tree: Path) -> None:
    closed: dict[str, Owned] = {"/usr/lib": (0o700, 0, 0), "/usr/lib/one": (0o777, 0, 0), "/usr": (0o755, 0, 0)}
    looked = view(tree, User(1000, (1000,)), closed)
    with pytest.raises(PermissionError):
        looked.stat("/abs")
    with pytest.raises(PermissionError):
        looked.listdir("/lib")


def test_only_plain_files_are_opened_and_nothing_is_written(tree: Path) -> None:
    with pytest.raises(OSError, match="No such device or address"):
        view(tree).open_file("/pipe")
    with pytest.raises(IsADirectoryError):
        view(tree).open_file("/etc")
    with pytest.raises(OSError, match="Read-only"):
        view(tree).open_file("/etc/new", "w")
    with pytest.raises(OSError, match="Read-only"):
        view(tree).open("/etc/new", os.O_WRONLY | os.O_CREAT)


PROGRAM = """
import glob, io, os, subprocess, sys
from imgcheck.collector.rooted import Root, User, View
View(Root(sys.argv[1]), {}, User(0, (0,)), "/").install()
seen = [os.path.realpath("/opt/app/far"), sorted(os.listdir("/")), glob.glob("/usr/l*/o*"), open("/abs").read()]
seen += [sorted(name for _, _, names in os.walk("/") for name in names)]
seen += [os.path.exists("/away"), os.path.exists("/bin")]
try:
    subprocess.run(["/bin/true"])
except OSError as error:
    seen.append(str(error))
print(seen)
"""


def test_a_process_that_entered_sees_the_tree_alone_and_starts_nothing(tree: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(tree)], capture_output=True, text=True, check=True)
    real, names, found, text, walked, away, programs, refused = eval(done.stdout)
    assert real == "/etc"
    assert "usr" in names
    assert found == ["/usr/lib/one"]
    assert text == "1"
    assert "one" in walked
    assert not away
    assert not programs
    assert "nothing is run" in refused

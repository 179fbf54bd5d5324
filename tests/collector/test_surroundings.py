from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from imgcheck.collector.entry_points import bindings_of, entry_points
from imgcheck.collector.locations import Locations
from imgcheck.collector.scripts import command_facts, script_facts, scripts_on_path
from imgcheck.collector.shadows import front_folders, shadows
from imgcheck.collector.surroundings import path_facts, surroundings
from imgcheck.facts.surroundings import Surroundings

SUFFIXES = (".cpython-311-x86_64-linux-gnu.so", ".so")


def write(path: Path, text: str = "", mode: int = 0o644) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("def main(): ...\n", True, id="function"),
        pytest.param("if 1:\n    from a import b as main\n", True, id="import in a branch"),
        pytest.param("try:\n    (main, x), y = 1\nexcept ValueError: pass\n", True, id="unpacked"),
        pytest.param("def f():\n    main = 1\n", False, id="local"),
        pytest.param("class A:\n    main = 1\n", False, id="in a class"),
        pytest.param("from a import *\n", None, id="star"),
        pytest.param("def __getattr__(name): ...\n", None, id="getattr"),
        pytest.param("globals()['main'] = 1\n", None, id="globals"),
        pytest.param("import sys\nsys.modules[__name__] = 1\n", None, id="replaces itself"),
        pytest.param("def f(:\n", None, id="syntax"),
    ],
)
def test_what_a_module_binds(tmp_path: Path, text: str, told: bool | None) -> None:
    assert bindings_of(str(write(tmp_path / "m.py", text))).tell("main") is told


def test_entry_points_are_looked_up_and_not_imported(tmp_path: Path) -> None:
    write(tmp_path / "pkg" / "__init__.py", "raise SystemExit\n")
    write(tmp_path / "pkg" / "cli.py", "def main(): ...\n")
    lines = ["pkg.cli:main", "pkg.cli:other", "pkg:cli", "pkg.gone:main", "pkg.cli [extra]", "pkg.cli:main.sub"]
    lines += ["pkg.cli.main", "pkg.cli.other"]  # as some groups write it
    points = [{"group": "g", "name": "n", "value": line} for line in lines]
    found = list(entry_points([{"metadata_path": "m", "entry_points": points}], Locations([str(tmp_path)])))
    assert [(bool(one["found"]), one["binds"]) for one in found] == [
        (True, True),
        (True, False),
        (True, True),
        (False, True),
        (True, True),
        (True, True),
        (True, True),
        (True, False),
    ]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        pytest.param(f"#!{sys.executable}\n", "fine", id="there"),
        pytest.param("#!/usr/bin/env python3\n", "fine", id="by env"),
        pytest.param("#!/usr/bin/env -S python3 -u\n", "fine", id="by env with options"),
        pytest.param("#!/usr/bin/env no-such-python\n", "interpreter-absent", id="not on PATH"),
        pytest.param("#!/nowhere/bin/python\n", "interpreter-absent", id="gone"),
        pytest.param("#!/bin/sh\r\n", "carriage-return", id="CRLF"),
        pytest.param("#!/bin/sh\n'''exec' /nowhere/python \"$0\" \"$@\"\n' '''\n", "interpreter-absent", id="wrapped"),
    ],
)
def test_first_lines(tmp_path: Path, text: str, state: str) -> None:
    found = script_facts(str(write(tmp_path / "script", text, 0o755)))
    assert found
    assert found["state"] == state


def test_what_is_no_script_is_none(tmp_path: Path) -> None:
    assert script_facts(str(write(tmp_path / "data", "\x7fELF"))) is None
    assert script_facts(str(tmp_path / "nowhere")) is None
    os.mkfifo(tmp_path / "pipe")
    assert script_facts(str(tmp_path / "pipe")) is None


def test_path_is_searched_for_pythons_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "dead", "#!/nowhere/python3\n", 0o755)
    write(tmp_path / "shell", "#!/bin/sh\n", 0o755)
    (tmp_path / "python3").symlink_to("/nowhere/python3.11")
    (tmp_path / "other").symlink_to("/nowhere/other")
    monkeypatch.setenv("PATH", f"{tmp_path}:{tmp_path}:/nowhere")
    (tmp_path / "python").symlink_to("python3")
    told = ("path", "interpreter", "state", "target")
    found = [tuple(one[key].replace(f"{tmp_path}/", "") for key in told) for one in scripts_on_path()]
    assert found == [
        ("dead", "/nowhere/python3", "interpreter-absent", ""),
        ("other", "other", "dangling", "/nowhere/other"),
        ("python", "python3", "dangling", "/nowhere/python3.11"),
        ("python3", "python3", "dangling", "/nowhere/python3.11"),
    ]
    assert command_facts(["python3", "-m", "app"]) == found_at(tmp_path / "python3")


def found_at(path: Path) -> dict[str, str]:
    return next(one for one in scripts_on_path() if one["path"] == str(path))


LOADER = b"/lib64/ld-linux-x86-64.so.2"
ARM_64 = b"\xb7\x00"


@pytest.mark.skipif(LOADER not in Path("/bin/true").read_bytes(), reason="patches a program of x86-64 Linux with glibc")
@pytest.mark.parametrize(
    ("patched", "state", "target"),
    [
        pytest.param(lambda data: data, "fine", "", id="as it is"),
        pytest.param(
            lambda data: data.replace(LOADER, b"/lib/ld-musl-x86_64.so.1".ljust(len(LOADER), b"\0")),
            "loader-absent",
            "/lib/ld-musl-x86_64.so.1",
            id="for another C library",
        ),
        pytest.param(lambda data: data[:18] + ARM_64 + data[20:], "other-machine", "aarch64", id="for another machine"),
        pytest.param(lambda _data: b"\xef\xbb\xbf#!/bin/sh\n", "unknown-format", "", id="a byte order mark"),
        pytest.param(lambda _data: b"exec python app.py\n", "unknown-format", "", id="no first line"),
        pytest.param(lambda data: data[:70], "fine", "", id="cut off, which is not judged here"),
    ],
)
def test_programs_that_no_kernel_starts(
    tmp_path: Path, patched: Callable[[bytes], bytes], state: str, target: str
) -> None:
    program = tmp_path / "program"
    program.write_bytes(patched(Path("/bin/true").read_bytes()))
    program.chmod(0o755)
    found = command_facts([str(program)])
    assert found is not None
    assert (found["state"], found["target"]) == (state, target)
    script = script_facts(str(write(tmp_path / "script", f"#!{program}\n", 0o755)))
    assert script is not None
    assert script["state"] == ("fine" if state in ("fine", "unknown-format") else state)


def test_the_command_of_an_image(tmp_path: Path) -> None:
    states = {
        "nothing": command_facts([]),
        "gone": command_facts(["/nowhere/entrypoint.sh"]),
        "mode": command_facts([str(write(tmp_path / "a.sh", "#!/bin/sh\n"))]),
        "fine": command_facts(["sh", "-c", "true"]),
    }
    assert {name: one and one["state"] for name, one in states.items()} == {
        "nothing": None,
        "gone": "absent",
        "mode": "not-executable",
        "fine": "fine",
    }


def test_front_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("app", "work", "lib"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "lib"))
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    path = [str(tmp_path / "lib"), "/usr/lib/python3.11"]
    found = front_folders(["python", "../app/train.py"], path)
    assert [(os.path.realpath(folder), why) for folder, why in found] == [
        (str(tmp_path / "app"), "entry script"),
        (str(tmp_path / "work"), "working folder"),
        (str(tmp_path / "lib"), "PYTHONPATH"),
    ]
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    assert [why for _, why in front_folders(["python", "../app/train.py"], path)] == ["PYTHONPATH"]


def test_shadows_of_the_library_of_packages_and_of_namespaces(tmp_path: Path) -> None:
    app, site = tmp_path / "app", tmp_path / "site"
    library = str(Path(os.__file__).parent)
    for name in (
        "random.py",
        "os.py",
        "sys.py",
        "google/__init__.py",
        "plain/readme.txt",
        "same/__init__.py",
        "own.py",
    ):
        write(app / name)
    write(site / "google" / "protobuf" / "__init__.py")
    write(site / "plain" / "__init__.py")
    write(site / "same" / "__init__.py")
    found = {
        one["name"]: (one["hidden"], one["namespace"], one["same"])
        for one in shadows([(str(app), "entry script")], [str(app), library, str(site)], SUFFIXES)
    }
    frozen = {name for name in found if name == "os"}  # built-in, frozen or loaded before: from 3.11 on
    assert {name: told for name, told in found.items() if name not in frozen} == {
        "random": (f"{library}/random.py", False, False),
        "google": (f"{site}/google", True, False),
        "same": (f"{site}/same/__init__.py", False, True),
    }


def test_paths(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/nowhere")
    assert path_facts(str(tmp_path))["kind"] == "folder"
    assert path_facts(str(write(tmp_path / "a", "abc", 0o640)))["mode"] == 0o640
    assert path_facts(str(tmp_path / "link"))["kind"] == "dangling"
    gone = path_facts(str(tmp_path / "x" / "y"))
    assert (gone["kind"], gone["nearest"], gone["nearest_writable"]) == ("missing", str(tmp_path), True)


def test_all_of_it_fits_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "xx_XX.UTF-8")
    monkeypatch.setenv("TZ", "Nowhere/Land")
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    interpreter = {"path": [str(tmp_path)], "extension_suffixes": SUFFIXES}
    asked: dict[str, Any] = {"command": ["sh"], "paths": ["/etc"], "texts": [str(write(tmp_path / "a", "abc"))]}
    request = {**asked, "commands": ["sh", "no-such"], "python": sys.executable}
    found = Surroundings.model_validate(surroundings(interpreter, [], request))
    assert "locale" in found.locale
    assert found.zone == ""
    gone, etc = found.at("/nowhere/ca.pem"), found.at("/etc")
    assert gone
    assert etc
    assert (gone.kind, etc.kind) == ("missing", "folder")
    assert found.texts[0].text == "abc"
    assert [bool(place) for _, place in found.commands] == [True, False]

"""An interpreter told by its files, beside what the same one says of itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from imgcheck.collector.interpreter import interpreter_facts
from imgcheck.collector.still_interpreter import StillFinder, interpreter_by_files, locale_by_files

PYENV = Path.home() / ".pyenv" / "versions"
INSTALLED = [
    *(path for path in ("/usr/bin/python3",) if Path(path).exists()),
    *sorted(str(one / "bin" / "python") for one in PYENV.glob("3.*") if int(one.name.split(".")[1]) >= 8),
    sys.executable,
]


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTHONPATH", "PYTHONHOME"):
        monkeypatch.delenv(name, raising=False)


def told_alike(python: str) -> None:
    told, by_files = interpreter_facts(python), interpreter_by_files(python)
    told_names, names = set(told.pop("stdlib")), set(by_files.pop("stdlib"))
    assert by_files == told
    assert {"json", "os", "sys"} <= names
    assert names >= told_names


@pytest.mark.parametrize("python", INSTALLED)
def test_the_files_tell_what_it_says(python: str) -> None:
    told_alike(python)


@pytest.mark.parametrize("more", [(), ("--system-site-packages",)], ids=["apart", "with the system's"])
def test_a_virtual_environment(tmp_path: Path, more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", *more, str(tmp_path / "v")], check=True)
    site = next((tmp_path / "v").glob("lib/python*/site-packages"))
    (site / "extra.pth").write_text(f"# a comment\n{tmp_path}\n\nnowhere\nimport sys\n", "utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}/first:")
    monkeypatch.setenv("HOME", str(tmp_path))
    told_alike(str(tmp_path / "v" / "bin" / "python"))


def test_what_a_version_does_not_have_is_not_standard(tmp_path: Path) -> None:
    library = tmp_path / "lib" / "python3.13"
    library.mkdir(parents=True)
    (library / "os.py").touch()
    program = tmp_path / "bin" / "python3.13"
    program.parent.mkdir()
    program.write_bytes(b"\x7fELF" + bytes(100) + b"Python 3.13.5\0")
    told = interpreter_by_files(str(program))
    assert told["version"] == "3.13.5"
    assert not {"distutils", "imp", "cgi"} & set(told["stdlib"])
    assert "tomllib" in told["stdlib"]


def test_modules_are_found_as_the_import_system_does(tmp_path: Path) -> None:
    for name in (
        "one/__init__.py",
        "two/x.py",
        "three.py",
        "four.abi3.so",
        "four.py",
        "five.cpython-39-x86_64-linux-gnu.so",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    finder = StillFinder(str(tmp_path), [".cpython-38-x86_64-linux-gnu.so", ".abi3.so", ".so"])
    found = {name: finder.find_spec(name) for name in ("one", "two", "three", "four", "five")}
    origins = {name: spec and spec.origin and Path(spec.origin).name for name, spec in found.items()}
    assert origins == {"one": "__init__.py", "two": None, "three": "three.py", "four": "four.abi3.so", "five": None}
    assert found["two"] is not None
    assert found["five"] is None


@pytest.mark.parametrize(
    ("value", "installed"), [("C.UTF-8", True), ("POSIX", True), ("", True), ("xx_YY.UTF-8", False)]
)
def test_a_locale_is_there_or_not(value: str, installed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", value)
    assert (locale_by_files() == "") is installed

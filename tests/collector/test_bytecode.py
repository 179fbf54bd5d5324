"""Images that bring no bytecode: compiled once beside the image's files, never among them."""

from __future__ import annotations

import compileall
import os
from pathlib import Path
from typing import Any

import pytest

from imgcheck.collector.sweep_bytecode import brings_bytecode
from tests.collector.test_sweep import PYTHONS, Make, as_fresh, fresh, packages, swept

__all__ = ["packages"]  # a fixture


def listed(folder: Path) -> list[dict[str, Any]]:
    return [{"module": path.stem, "path": str(path), "group": "module"} for path in sorted(folder.glob("*.py"))]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    for number in range(10):
        (folder / f"m{number}.py").write_text(f"x = {number}\n")
    return folder


def test_no_bytecode_is_seen(site: Path) -> None:
    assert not brings_bytecode(listed(site))


def test_bytecode_is_seen(site: Path) -> None:
    compileall.compile_dir(site, quiet=2)
    assert brings_bytecode(listed(site))


def test_bytecode_that_its_source_has_outlived_is_none(site: Path) -> None:
    """As after a build with `rewrite-timestamp`."""
    compileall.compile_dir(site, quiet=2)
    for path in site.glob("*.py"):
        os.utime(path, (1, 1))
    assert not brings_bytecode(listed(site))


def test_half_a_file_is_no_bytecode(site: Path) -> None:
    (site / "__pycache__").mkdir()
    for number in range(10):
        (site / "__pycache__" / f"m{number}.cpython-311.pyc").write_bytes(b"\0" * number)
    assert not brings_bytecode(listed(site))


def test_a_few_files_without_make_no_difference(site: Path) -> None:
    compileall.compile_dir(site, quiet=2)
    (site / "late.py").write_text("")
    assert brings_bytecode(listed(site))


def test_without_modules_nothing_is_missing() -> None:
    assert brings_bytecode([])


TELLS = """
import os, sys
import shared
prefix = sys.pycache_prefix
assert prefix is None or shared.__cached__.startswith(prefix), shared.__cached__
raise ValueError(prefix is not None, os.path.exists(shared.__cached__), sorted(
    name for name in os.environ if "PYC" in name or "BYTECODE" in name))
"""


@pytest.mark.parametrize("method", ["tree", "walk", "story"])
def test_sources_are_compiled_once_and_never_in_the_image(packages: Make, method: str) -> None:
    folder = packages({"shared.py": "x = 1\n", "tells.py": TELLS})
    environment = ["PYTHONDONTWRITEBYTECODE"]
    for bytecode, expected in ((False, (True, True, environment)), (True, (False, False, environment))):
        found, _ = swept(["shared", "tells"], folder, method=method, bytecode=bytecode)
        assert found["tells"]["error"]["message"] == str(expected)
        assert [path.name for path in folder.rglob("*.pyc")] == []
        assert [path.name for path in folder.iterdir()] == ["site"]


@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: Path(path).parts[-3])
def test_verdicts_are_those_of_a_fresh_interpreter(packages: Make, python: str) -> None:
    files = {
        "good.py": "import decimal\n",
        "broken.py": "def\n",
        "fails.py": "import good\nimport missing\n",
        "package/__init__.py": "from package.inner import y\n",
        "package/inner.py": "import good\ny = 1\n",
        "package/wrong.py": "from package.inner import z\n",
    }
    names = ["good", "broken", "fails", "package", "package.inner", "package.wrong"]
    folder = packages(files)
    found, _ = swept(names, folder, python, bytecode=False)
    assert {name: as_fresh(found[name]) for name in names} == {name: fresh(python, name) for name in names}


def test_a_full_disk_or_a_read_only_root_stops_nothing(packages: Make, tmp_path: Path) -> None:
    """The import system gives up silently on bytecode that it cannot write."""
    folder = packages({"good.py": "import sys\nsys.pycache_prefix = '/proc/nowhere'\nimport other\n", "other.py": ""})
    found, _ = swept(["good", "other"], folder, bytecode=False)
    assert {one["status"] for one in found.values()} == {"ok"}

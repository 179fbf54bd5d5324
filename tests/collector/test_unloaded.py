"""Libraries that an import tried to load in vain are told, though the import goes on without them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.collector.test_sweep import PYTHONS, Make, packages, swept
from tests.native_builds import compiled, library, needs_compiler

__all__ = ["packages"]  # a fixture

METHODS = ("walk", "exact", "tree", "story")
TRIES = "import ctypes, os\ndef load(name):\n    path = os.path.join(os.path.dirname(__file__), name)\n"
TRIES += "    try:\n        return ctypes.CDLL(path)\n    except OSError:\n        return None\n"


def tries(*names: str) -> str:
    return TRIES + "".join(f"load({name!r})\n" for name in names)


def unloaded(folder: Path, *names: str, python: str = sys.executable, method: str = "walk") -> dict[str, list[str]]:
    found, _ = swept(list(names), folder, python, method=method)
    assert {one["status"] for one in found.values()} == {"ok"}, found
    site = f"{folder / 'site'}/"
    return {name: [path.replace(site, "") for path in one.get("unloaded", [])] for name, one in found.items()}


@needs_compiler
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: Path(path).parts[-3])
def test_a_library_that_does_not_load_is_told_and_one_that_does_is_not(
    packages: Make, python: str, method: str
) -> None:
    folder = packages({"p/__init__.py": tries("good.so", "link.so", "bad.so", "garbled.so", "absent.so")})
    library(folder / "site/p/good.so")
    (folder / "site/p/link.so").symlink_to("good.so")
    compiled(folder / "site/p/bad.so", "int nowhere(void); int two(void) { return nowhere(); }")
    (folder / "site/p/garbled.so").write_text("<<<<<<< ours")
    assert unloaded(folder, "p", python=python, method=method) == {"p": ["p/bad.so", "p/garbled.so"]}


@needs_compiler
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: Path(path).parts[-3])
def test_an_extension_module_whose_failure_is_caught_is_told(packages: Make, python: str, method: str) -> None:
    folder = packages({"p/__init__.py": "try:\n    from p import _C\nexcept ImportError:\n    _C = None\n"})
    compiled(folder / "site/p/_C.so", "int nowhere(void); int PyInit__C(void) { return nowhere(); }")
    assert unloaded(folder, "p", python=python, method=method) == {"p": ["p/_C.so"]}


@pytest.mark.parametrize("method", METHODS)
def test_extension_modules_that_load_are_not_told(packages: Make, method: str) -> None:
    folder = packages({"p.py": "import _ctypes, _json, _decimal, array, zlib, ctypes\nctypes.CDLL(None)\n"})
    assert unloaded(folder, "p", method=method) == {"p": []}


@needs_compiler
@pytest.mark.parametrize("method", METHODS[:3])  # a story is told from the start
def test_who_imports_it_after_that_one_has_nothing_to_tell(packages: Make, method: str) -> None:
    folder = packages({"p/__init__.py": tries("bad.so"), "p/user.py": "import p\n"})
    compiled(folder / "site/p/bad.so", "int nowhere(void); int two(void) { return nowhere(); }")
    assert unloaded(folder, "p", "p.user", method=method) == {"p": ["p/bad.so"], "p.user": []}


HOSTILE = """
import ctypes, posix, sys
sys.audit("import")
sys.audit("ctypes.dlopen", 7)
class Text(str):
    def __str__(self): raise SystemExit(9)
    __hash__ = __eq__ = __len__ = __contains__ = __str__
posix.open = posix.readlink = posix.read = None
for path in (Text("/etc/passwd"), b"/etc/hostname", "/\\0", "/proc/self/mem", "/\\udcff"):
    try:
        ctypes.CDLL(path)
    except BaseException:
        pass
"""


def test_hostile_names_disturb_nobody(packages: Make) -> None:
    folder = packages({"odd.py": HOSTILE})
    assert set(unloaded(folder, "odd")["odd"]) <= {"/etc/passwd", "/etc/hostname", "/proc/self/mem"}

"""Libraries tried once more, with the real loader."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from imgcheck.collector.loads import try_loads
from imgcheck.collector.native_files import owners_of_files
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from tests.collector.test_sweep import PYTHONS, Make, packages
from tests.local_engine import LocalEngine, an_image
from tests.native_builds import compiled, library, needs_compiler

__all__ = ["packages"]  # a fixture

pytestmark = needs_compiler


def tried(folder: Path, paths: list[Path], python: str = sys.executable, module: str = "p") -> dict[str, object]:
    found = try_loads({module: [str(path) for path in paths]}, python, 20, str(folder))
    return {Path(one["path"]).name: one.get("error", one.get("problem")) for one in found}


@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: Path(path).parts[-3])
def test_the_loader_says_what_is_wrong(packages: Make, python: str) -> None:
    folder = packages({"p.py": "print('noise')"})
    bad = compiled(folder / "bad.so", "int nowhere(void); int two(void) { return nowhere(); }")
    gone = library(folder / "libgone.so.1")
    lacks = compiled(folder / "lacks.so", "int one(void); int two(void) { return one(); }", libraries=(gone,))
    gone.unlink()
    assert tried(folder, [bad, library(folder / "good.so"), lacks], python) == {
        "bad.so": f"{bad}: undefined symbol: nowhere",
        "good.so": "",
        "lacks.so": "libgone.so.1: cannot open shared object file: No such file or directory",
    }


def test_what_the_import_has_loaded_by_then_is_there(packages: Make) -> None:
    folder = packages({})
    host = library(folder / "libhost.so.1")
    plugin = compiled(folder / "plugin.so", "int one(void); int two(void) { return one(); }", libraries=(host,))
    (folder / "site").mkdir(exist_ok=True)
    (folder / "site/loader.py").write_text(f"import ctypes\nctypes.CDLL({str(host)!r})\n")
    assert tried(folder, [plugin], module="loader") == {"plugin.so": ""}
    assert tried(folder, [plugin], module="json") == {
        "plugin.so": "libhost.so.1: cannot open shared object file: No such file or directory"
    }


def test_a_process_that_dies_hides_nothing_of_what_came_before(packages: Make) -> None:
    folder = packages({"p.py": ""})
    dies = compiled(folder / "dies.so", "#include <stdlib.h>\n__attribute__((constructor)) void end(void) { abort(); }")
    found = tried(folder, [library(folder / "good.so"), dies, library(folder / "more.so")])
    told = "its process ended with signal 6"
    assert found == {"good.so": "", "dies.so": told, "more.so": told}


def test_a_process_that_hangs_is_ended(packages: Make) -> None:
    folder = packages({"p.py": "import time\ntime.sleep(60)"})
    found = try_loads({"p": [str(library(folder / "good.so"))]}, sys.executable, 0.2, str(folder))
    assert [one["problem"] for one in found] == ["it did not end within 0.2 s"]


def test_a_file_is_its_owners_through_links(tmp_path: Path) -> None:
    file = library(tmp_path / "p" / "libx.so.1")
    link = tmp_path / "libx.so"
    link.symlink_to(file)
    owner = {"name": "p", "location": str(tmp_path), "files": ["p/libx.so.1", "p/__init__.py"]}
    assert owners_of_files([str(file), str(link), "/lib/other.so"], [owner]) == {str(file): "p", str(link): "p"}


def test_the_real_collector_tells_them_typed(packages: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = packages(
        {
            "p/__init__.py": "",
            "p-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: p\nVersion: 1.0\n",
            "p-1.0.dist-info/RECORD": "p/__init__.py,,\np/_C.so,,\n",
        }
    )
    bad = compiled(folder / "site/p/_C.so", "int nowhere(void); int PyInit__C(void) { return nowhere(); }")
    engine = LocalEngine(sys.executable)
    collector = Collector(engine=engine, cache=FactsCache(folder=tmp_path / "cache"))
    (one,) = collector.loads(an_image(), {"p": (str(bad),)}, 20).tries
    assert (one.module, one.distribution, one.extension) == ("p", "p", True)
    assert one.error == f"{bad}: undefined symbol: nowhere"
    collector.loads(an_image(), {"p": (str(bad),)}, 20)
    assert engine.started == 1

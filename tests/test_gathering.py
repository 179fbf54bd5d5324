"""Facts as the selected checks need them, by the real collector on this machine's Python."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from imgcheck.checks import Needs
from imgcheck.checks.unimportable_module import judge as judge_imports
from imgcheck.errors import CollectorError
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from imgcheck.facts.loads import LoadFacts
from imgcheck.facts.model import ImageFacts, ImportFacts
from imgcheck.facts.together import TogetherFacts
from imgcheck.gathering import Gathered, gather
from imgcheck.progress import QuietProgress
from tests.checks.build_facts import a_contract, module, raises
from tests.checks.native_files import natives
from tests.local_engine import LocalEngine, an_image
from tests.native_builds import compiled, library, needs_compiler

BOTH = frozenset({Needs.STATEMENTS, Needs.TOGETHER})


@pytest.fixture
def collector(tmp_path: Path) -> Collector:
    return Collector(engine=LocalEngine(sys.executable), cache=FactsCache(folder=tmp_path))


def gathered(collector: Collector, *together: str) -> Gathered:
    contract = a_contract(imports={"together": list(together)})
    return gather(collector, an_image(), contract, BOTH, (), QuietProgress())


def test_statements_and_imports_together_are_gathered_where_checks_need_them(collector: Collector) -> None:
    found = gathered(collector, "json", "csv")
    assert found.facts.imports is None
    assert found.facts.statements
    assert found.facts.together
    assert [one.order for one in found.facts.together.runs] == [("json", "csv"), ("csv", "json")]
    assert not found.problems


def test_no_modules_start_no_container(collector: Collector) -> None:
    assert gathered(collector).facts.together == TogetherFacts()


def test_what_cannot_be_had_is_a_problem_of_those_who_need_it(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise CollectorError("half an answer")

    monkeypatch.setattr(collector, "_statements", broken)
    monkeypatch.setattr(collector, "_together", broken)
    found = gathered(collector, "json")
    assert (found.facts.statements, found.facts.together) == (None, None)
    assert set(found.problems) == BOTH


def test_loads_are_tried_again_where_imports_tried_them_in_vain_and_nowhere_else(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []
    modules = [module("p", "p"), module("q", "q", unloaded=("/q.so",))]

    def imports(*_: object, **__: object) -> ImportFacts:
        return ImportFacts(modules=tuple(modules))

    def loads(_image: ImageFacts, paths: dict[str, tuple[str, ...]], _seconds: float) -> LoadFacts:
        tried.append(paths)
        return LoadFacts()

    monkeypatch.setattr(collector, "imports", imports)
    monkeypatch.setattr(collector, "loads", loads)
    asked = frozenset({Needs.LOADS})
    contract = a_contract(imports=True)
    found = gather(collector, an_image(), contract, asked, (), QuietProgress())
    assert (tried, found.facts.loads) == ([{"q": ("/q.so",)}], LoadFacts())
    modules.pop()
    assert gather(collector, an_image(), contract, asked, (), QuietProgress()).facts.loads == LoadFacts()
    assert len(tried) == 1


@needs_compiler
@pytest.mark.parametrize("function", ["cuInit", "gone"])
def test_what_lacks_only_the_driver_is_imported_with_a_stand_in_that_is_gone_afterwards(
    collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    site = tmp_path / "site"
    driver = library(tmp_path / "driver" / "libcuda.so.1")
    compiled(site / "k/libk.so", f"int {function}(void); int use(void) {{ return {function}(); }}", libraries=(driver,))
    driver.unlink()
    load = "import ctypes, os\nlib = ctypes.CDLL(os.path.dirname(__file__) + '/libk.so')\n"
    files = {"k/__init__.py": "", "k/ops.py": load, "k/user.py": "from k.ops import lib\nassert lib.use() == 34\n"}
    record = "".join(f"{name},,\n" for name in (*files, "k/libk.so"))
    files |= {"k-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: k\nVersion: 1.0\n"}
    for name, text in {**files, "k-1.0.dist-info/RECORD": record}.items():
        (site / name).parent.mkdir(exist_ok=True)
        (site / name).write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(site))
    contract = a_contract(imports={"exclude": ["[!k]*"]})
    found = gather(collector, an_image(), contract, frozenset({Needs.IMPORTS}), (), QuietProgress()).facts
    assert found.imports
    assert found.driverless
    assert {one.module: one.status for one in found.imports.modules if one.distribution == "k"} == {
        "k": "ok",
        "k.ops": "exception",
        "k.user": "exception",
    }
    works = function == "cuInit"
    statuses = dict.fromkeys(("k.ops", "k.user"), "ok" if works else "exception")
    assert {one.module: one.status for one in found.driverless.modules} == statuses
    (fault,) = (one for one in judge_imports(contract, found).faults if one.subject.startswith("k."))
    assert fault.unverified is works
    assert works or "undefined symbol: gone" in fault.actual
    assert not list(tmp_path.rglob("libcuda*"))


@needs_compiler
def test_a_swallowed_load_for_want_of_the_driver_is_tried_with_a_stand_in(
    collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = library(tmp_path / "driver" / "libcuda.so.1")
    for name, function in (("fine", "cuInit"), ("bad", "gone")):
        source = f"int {function}(void); int use(void) {{ return {function}(); }}"
        compiled(tmp_path / f"site/k/{name}.so", source, libraries=(driver,))
    driver.unlink()
    info = tmp_path / "site/k-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: k\nVersion: 1.0\n")
    (info / "RECORD").write_text("k/fine.so,,\nk/bad.so,,\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    paths = tuple(str(tmp_path / f"site/k/{name}.so") for name in ("bad", "fine"))
    swept = ImportFacts(modules=(module("json", "k", unloaded=paths),))
    monkeypatch.setattr(collector, "imports", lambda *_, **__: swept)
    contract = a_contract(imports=True)
    found = gather(collector, an_image(), contract, frozenset({Needs.LOADS}), (), QuietProgress()).facts
    assert found.loads
    assert {Path(one.path).stem: (one.stand_in, (one.error or "")[-22:]) for one in found.loads.tries} == {
        "bad": (True, "undefined symbol: gone"),
        "fine": (True, ""),
    }


def test_a_machine_that_no_stand_in_can_be_made_for_is_left_with_what_the_sweep_says(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = raises("ImportError: libcuda.so.1: cannot open shared object file: No such file or directory")
    swept = ImportFacts(modules=(module("k", "k", waits),))
    monkeypatch.setattr(collector, "imports", lambda *_, **__: swept)
    monkeypatch.setattr(collector, "native", lambda *_: natives(machine="s390x"))
    asked = frozenset({Needs.IMPORTS})
    found = gather(collector, an_image(), a_contract(imports=True), asked, (), QuietProgress())
    assert (found.facts.imports, found.facts.driverless) == (swept, None)


def test_without_a_sweep_nothing_is_known_of_loads(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise CollectorError("half an answer")

    monkeypatch.setattr(collector, "imports", broken)
    found = gather(collector, an_image(), a_contract(imports=True), frozenset({Needs.LOADS}), (), QuietProgress())
    assert found.facts.loads is None
    assert set(found.problems) == {Needs.IMPORTS, Needs.LOADS}

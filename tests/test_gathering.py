"""Facts as the selected checks need them, by the real collector on this machine's Python."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from imgcheck.checks import Needs
from imgcheck.errors import CollectorError
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from imgcheck.facts.loads import LoadFacts
from imgcheck.facts.model import ImageFacts, ImportFacts
from imgcheck.facts.together import TogetherFacts
from imgcheck.gathering import Gathered, gather
from imgcheck.progress import QuietProgress
from tests.checks.build_facts import a_contract, module
from tests.local_engine import LocalEngine, an_image

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


def test_without_a_sweep_nothing_is_known_of_loads(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise CollectorError("half an answer")

    monkeypatch.setattr(collector, "imports", broken)
    found = gather(collector, an_image(), a_contract(imports=True), frozenset({Needs.LOADS}), (), QuietProgress())
    assert found.facts.loads is None
    assert set(found.problems) == {Needs.IMPORTS, Needs.LOADS}

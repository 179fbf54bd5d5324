"""The real collector with this machine's Python, through the engine protocol."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from packaging.markers import default_environment

from imgcheck.contract.model import Imports
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from tests.local_engine import LocalEngine, an_image


@pytest.fixture
def engine() -> LocalEngine:
    return LocalEngine(sys.executable)


@pytest.fixture
def collector(engine: LocalEngine, tmp_path: Path) -> Collector:
    return Collector(engine=engine, cache=FactsCache(folder=tmp_path))


def test_the_inventory_names_this_python_and_its_distributions(collector: Collector) -> None:
    inventory = collector.inventory(an_image())
    assert inventory.interpreter.markers == default_environment()
    packaging = inventory.find("Packaging")
    assert packaging
    assert packaging.installer
    assert ("packaging.version", "source", "module") in packaging.modules


def test_facts_of_the_same_content_are_reused_and_said_to_be(collector: Collector, engine: LocalEngine) -> None:
    first = collector.inventory(an_image("a:1"))
    again = collector.inventory(an_image("another-name:2"))
    assert first == again
    assert engine.started == 1
    assert [source.reused for source in collector.sources] == [False, True]


def test_other_content_is_collected_afresh(collector: Collector, engine: LocalEngine) -> None:
    collector.inventory(an_image())
    other = an_image().model_copy(update={"layers": ("sha256:" + "b" * 64,)})
    collector.inventory(other)
    collector.inventory(other.model_copy(update={"env": ("PYTHONPATH=/app",)}))
    assert engine.started == 3


def test_an_image_of_which_no_layers_are_told_is_known_by_its_id(collector: Collector, engine: LocalEngine) -> None:
    for letter in "ab":
        collector.inventory(an_image(digest="sha256:" + letter * 64).model_copy(update={"layers": ()}))
    assert engine.started == 2


def test_labels_and_history_are_not_content(collector: Collector, engine: LocalEngine) -> None:
    collector.inventory(an_image())
    collector.inventory(an_image(digest="sha256:" + "b" * 64).model_copy(update={"labels": {"revision": "2"}}))
    assert engine.started == 1


def test_the_sweep_tells_a_verdict_for_every_module(collector: Collector) -> None:
    facts = collector.imports(an_image(), Imports(exclude=("[a-o]*", "[q-z]*", "pip.*", "_*", "p[a-hj-z]*")))
    verdicts = {one.module: one.status for one in facts.modules}
    assert verdicts
    assert set(verdicts.values()) <= {"ok", "exception", "exit"}

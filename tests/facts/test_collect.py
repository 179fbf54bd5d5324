"""The real collector with this machine's Python, through the engine protocol."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from packaging.markers import default_environment

from imgcheck.contract.model import Http, Imports, Probe
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


SERVER = "import http.server as h; h.HTTPServer(('127.0.0.1', {port}), h.SimpleHTTPRequestHandler).serve_forever()"


def probe(name: str, **fields: object) -> Probe:
    return Probe.model_validate({"name": name, "within": 5, "alive": 0.3, **fields})


def serving(port: int, code: str = SERVER) -> list[str]:
    return ["{python}", "-c", code.replace("{port}", str(port))]


PROBES = {
    "a command that succeeds": (probe("a", run=["{python}", "-c", "print(41+1)"], output="^42"), "done", ""),
    "a command that fails": (probe("b", run=["{python}", "-c", "exit(3)"]), "start", "ended with status 3"),
    "a command that dies": (
        probe("b", run=["{python}", "-c", "import os; os.abort()"]),
        "start",
        "was ended by SIGABRT",
    ),
    "a command that says something else": (probe("c", run=["{python}", "-c", ""], output="42"), "start", "not match"),
    "a command that hangs": (
        probe("d", run=["{python}", "-c", "import time; time.sleep(60)"], within=0.5),
        "start",
        "did not end within 0.5 s",
    ),
    "a program that is not there": (probe("e", run=["/nowhere/x"]), "start", "could not be started"),
    "a server that answers": (probe("f", start=serving(18731), http={"port": 18731}), "done", ""),
    "a server with another status": (
        probe("g", start=serving(18732), http={"port": 18732, "path": "/none"}, within=1),
        "answer",
        "did not answer as asked",
    ),
    "a server that ends at once": (
        probe("h", start=["{python}", "-c", "exit(7)"], port=18733),
        "answer",
        "ended with status 7 before it answered",
    ),
    "a server that dies after its answer": (
        probe("i", start=serving(18734, SERVER.replace("serve_forever", "handle_request")), http={"port": 18734}),
        "alive",
        "it answered, and then",
    ),
    "a server whose client fails": (
        probe("j", start=serving(18735), port=18735, then=["{python}", "-c", "exit(2)"]),
        "then",
        "ended with status 2",
    ),
}


@pytest.mark.parametrize(("probe", "reached", "detail"), PROBES.values(), ids=PROBES)
def test_a_probe_tells_how_far_it_came(collector: Collector, probe: Probe, reached: str, detail: str) -> None:
    facts = collector.probe(an_image(), probe)
    assert facts.reached == reached
    assert detail in facts.detail


def test_a_body_is_demanded_where_asked_for() -> None:
    assert Http(port=1, body="gpu_").body == "gpu_"

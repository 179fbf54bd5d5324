"""Probes one after another and side by side: what needs what, what is tried again, and what is told of it."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from threading import Lock

import pytest

from imgcheck.contract.probes import Probe
from imgcheck.contract.runtime import Runtime
from imgcheck.errors import CollectorError
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from imgcheck.facts.model import ImageFacts
from imgcheck.facts.probes import ProbeFacts
from imgcheck.progress import QuietProgress
from imgcheck.starting import start_probes
from tests.local_engine import LocalEngine, an_image


class Played(Collector):
    """Probes end as the test says, one answer an attempt; the order of starts is kept."""

    answers: dict[str, list[str]]
    order: list[str]

    def probe(self, image: ImageFacts, probe: Probe, *, afresh: bool = False) -> ProbeFacts:
        self.order.append(probe.name + (" afresh" if afresh else ""))
        answer = self.answers[probe.name].pop(0)
        if answer == "no answer":
            raise CollectorError("half an answer", remedy="look")
        reached = "done" if answer == "done" else "start"
        return ProbeFacts(name=probe.name, reached=reached, detail="" if reached == "done" else answer)


@pytest.fixture
def played(tmp_path: Path) -> Played:
    found = Played(engine=LocalEngine(sys.executable), cache=FactsCache(folder=tmp_path))
    found.answers, found.order = {}, []
    return found


def command(name: str, *needs: str, retries: int = 0) -> Probe:
    return Probe(name=name, run=("x",), needs=needs, retries=retries)


def started(played: Played, *probes: Probe, **answers: list[str]) -> tuple[dict[str, ProbeFacts], list[str]]:
    played.answers.update(answers)
    return start_probes(played, an_image(), probes, QuietProgress())


def test_what_needs_another_comes_after_it(played: Played) -> None:
    found, reasons = started(played, command("b", "a"), command("a"), b=["done"], a=["done"])
    assert played.order == ["a", "b"]
    assert {one.reached for one in found.values()} == {"done"}
    assert not reasons


def test_what_needs_a_broken_one_is_skipped_and_says_why(played: Played) -> None:
    found, _ = started(played, command("a"), command("b", "a"), command("c", "b"), a=["it ended with status 1"])
    assert played.order == ["a"]
    assert (found["b"].reached, found["b"].detail) == ("skipped", "needs a, which is broken")
    assert (found["c"].reached, found["c"].detail) == ("skipped", "needs b, which was skipped")


def test_what_needs_one_that_gave_no_answer_is_skipped_too(played: Played) -> None:
    found, reasons = started(played, command("a"), command("b", "a"), a=["no answer"])
    assert reasons == ["a: half an answer\nlook"]
    assert found["b"].detail == "needs a, which is not known"


def test_what_fails_in_company_is_tried_once_more_alone(played: Played) -> None:
    found, _ = started(played, command("a"), command("b"), a=["it hung", "done"], b=["done"])
    assert played.order[-1] == "a afresh"
    assert found["a"].reached == "done"
    assert played.notices == ["probe a failed, and then succeeded alone: at first it hung"]


def test_what_failed_alone_is_not_tried_again_unless_asked(played: Played) -> None:
    found, _ = started(played, command("a"), a=["it hung"])
    assert (found["a"].attempts, played.order) == (1, ["a"])
    found, _ = started(played, command("r", retries=2), r=["one", "two", "three"])
    assert (found["r"].attempts, found["r"].detail) == (3, "three")
    assert played.order == ["a", "r", "r afresh", "r afresh"]


def test_a_retry_that_succeeds_ends_the_trying(played: Played) -> None:
    found, _ = started(played, command("r", retries=5), command("s", "r"), r=["one", "done"], s=["done"])
    assert (found["r"].attempts, found["s"].reached) == (2, "done")


class Counting(Collector):
    """How many probes run at once, at most."""

    running: int = 0
    most: int = 0
    lock: Lock

    def probe(self, image: ImageFacts, probe: Probe, *, afresh: bool = False) -> ProbeFacts:
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
        time.sleep(0.1)
        with self.lock:
            self.running -= 1
        return ProbeFacts(name=probe.name, reached="done")


@pytest.mark.parametrize(("network", "most"), [("none", 4), ("host", 1)])
def test_on_the_hosts_network_probes_run_one_after_another(tmp_path: Path, network: str, most: int) -> None:
    runtime = Runtime.model_validate({"network": network})
    found = Counting(engine=LocalEngine(sys.executable), cache=FactsCache(folder=tmp_path), runtime=runtime)
    found.lock = Lock()
    start_probes(found, an_image(), tuple(command(name) for name in "abcdef"), QuietProgress())
    assert found.most == most

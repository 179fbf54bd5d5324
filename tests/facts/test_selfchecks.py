"""Self-checks called by the real collector on this machine's Python."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from imgcheck.contract.selfchecks import SelfChecks
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from imgcheck.facts.selfchecks import SelfCheck
from imgcheck.progress import QuietProgress
from imgcheck.selfchecking import call_selfchecks
from tests.checks.build_facts import a_contract
from tests.local_engine import LocalEngine, an_image
from tests.small_wheels import install

SOURCE = """\
import asyncio, os, sys, time, unittest

number = 7

def returns():
    print("on", repr(os.environ["CUDA_VISIBLE_DEVICES"]))

def tells():
    class Scalar:
        def item(self):
            return 0.25
    return {"loss": Scalar(), "ok": True, "path": sys}

def raises():
    raise ValueError("nan in the loss")

def skips():
    raise unittest.SkipTest("needs a GPU")

def leaves():
    sys.exit(0)

def hangs():
    time.sleep(600)

def too_much():
    return {"text": "x" * 100_000}

async def waits():
    await asyncio.sleep(0)
    raise ValueError("awaited")

def yields():
    yield
    raise ValueError("run to its end")

def hides():
    for path in ("/proc/nobody/cache.idx", os.devnull, "/proc/sys/index"):
        try:
            open(path, "w")
        except OSError:
            pass
    open(__file__).close()

class Checks:
    @staticmethod
    def inner():
        assert "imgcheck" not in sys.modules, "imgcheck is in here"
"""


@pytest.fixture
def collector(tmp_path: Path) -> Collector:
    return Collector(engine=LocalEngine(sys.executable), cache=FactsCache(folder=tmp_path / "cache"))


def called(collector: Collector, folder: Path, name: str) -> SelfCheck:
    (folder / "tiny_training.py").write_text(SOURCE, "utf-8")
    options = SelfChecks(within=3, env={"PYTHONPATH": str(folder)})
    return collector.selfcheck(an_image(), f"tiny_training:{name}", options)


OUTCOMES = {
    "returns": ("returned", ""),
    "Checks.inner": ("returned", ""),
    "raises": ("raised", "ValueError: nan in the loss"),
    "waits": ("raised", "ValueError: awaited"),
    "yields": ("raised", "ValueError: run to its end"),
    "skips": ("skipped", "needs a GPU"),
    "leaves": ("raised", "SystemExit: 0"),
    "hangs": ("ended", ""),
    "too_much": ("untellable", "it returned 100"),
    "missing": ("unloadable", "AttributeError: module 'tiny_training' has no attribute 'missing'"),
    "number": ("unloadable", "tiny_training:number is no function but int"),
}


@pytest.mark.parametrize(("name", "outcome", "reason"), [(name, *one) for name, one in OUTCOMES.items()], ids=OUTCOMES)
def test_what_became_of_it_is_told(collector: Collector, tmp_path: Path, name: str, outcome: str, reason: str) -> None:
    told = called(collector, tmp_path, name)
    assert (told.outcome, told.reason[: len(reason)]) == (outcome, reason), told


def test_a_traceback_is_kept_and_there_is_no_gpu(collector: Collector, tmp_path: Path) -> None:
    assert "in raises\n" in called(collector, tmp_path, "raises").process.output
    assert called(collector, tmp_path, "returns").process.output == "on ''\n"
    assert called(collector, tmp_path, "hangs").process.detail == "it did not end within 3 s"


def test_where_it_could_not_write_is_told_though_it_says_nothing(collector: Collector, tmp_path: Path) -> None:
    told = called(collector, tmp_path, "hides")
    assert (told.outcome, told.process.output) == ("returned", "")
    if os.geteuid():  # to root nothing is denied here; tests/engine/test_runtime.py has a read-only mount
        assert told.denied == ("/proc/nobody/cache.idx", "/proc/sys/index")


def test_a_dictionary_is_told_in_plain_values(collector: Collector, tmp_path: Path) -> None:
    returned = called(collector, tmp_path, "tells").returned
    assert returned
    assert (returned["loss"], returned["ok"]) == (0.25, True)
    assert str(returned["path"]).startswith("<module 'sys'")


def test_every_entry_point_of_the_group_is_called(
    collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = "[imgcheck.selfcheck]\ngood = tiny_training:returns\nbad = tiny_training:raises\n"
    install(tmp_path, "tiny", "1.0", {"tiny_training.py": SOURCE}, {"entry_points.txt": points})
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    contract = a_contract(selfchecks={"env": {"PYTHONPATH": str(tmp_path)}})
    inventory = collector.inventory(an_image())
    inventory = inventory.model_copy(
        update={"distributions": tuple(one for one in inventory.distributions if one.name == "tiny")}
    )
    found, reasons = call_selfchecks(collector, an_image(), contract, inventory, QuietProgress())
    assert not reasons
    assert found
    assert {name: one.outcome for name, one in found.called.items()} == {"tiny:good": "returned", "tiny:bad": "raised"}
    assert call_selfchecks(collector, an_image(), a_contract(selfchecks=False), inventory, QuietProgress()) == (
        None,
        [],
    )

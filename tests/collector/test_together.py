"""Modules in one process, with the real collector: two tiny packages that break each other."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from imgcheck.checks.clashing_imports import judge
from imgcheck.collector.together import import_together
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from imgcheck.facts.together import TogetherFacts
from tests.checks.build_facts import a_contract, facts
from tests.local_engine import LocalEngine, an_image

MODULES = {
    "takes": "import builtins, sys\nbuiltins.taken = True\nprint('takes it', file=sys.stderr)",
    "needs": "import builtins\nif hasattr(builtins, 'taken'):\n    raise ImportError('undefined symbol: zz')",
    "dies": "import builtins, os\nif hasattr(builtins, 'taken'):\n    os.abort()",
    "fails": "1 / 0",
    "exits": "raise SystemExit(3)",
    "leaves": "import os\nos._exit(5)",
    "hangs": "import time\ntime.sleep(60)",
    "stays": "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()",
    "says": "import sys\nsys.stderr.write('compiled using NumPy 1.x')",
    "noisy": "import sys\nsys.stderr.write('x' * 3_000_000)\nsys.stderr.write('last words')",
    "at_exit": "import atexit, os\natexit.register(os.abort)",
    "quiet": "",
}


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in MODULES.items():
        (tmp_path / f"imgcheck_{name}.py").write_text(text, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


def together(*names: str, seconds: float = 20) -> dict[str, object]:
    return import_together(sys.executable, [f"imgcheck_{name}" for name in names], seconds)


def test_the_real_collector_tells_who_falls_out_with_whom(tmp_path: Path) -> None:
    engine = LocalEngine(sys.executable)
    collector = Collector(engine=engine, cache=FactsCache(folder=tmp_path / "cache"))
    names = ("imgcheck_quiet", "imgcheck_takes", "imgcheck_needs")
    first, reversed_ = collector.together(an_image(), names, 20).runs
    assert (first.order, reversed_.order) == (names, names[::-1])
    assert [(one.module, one.message) for one in first.failures] == [("imgcheck_needs", "undefined symbol: zz")]
    (searched,) = first.searched
    assert (searched.partner, searched.pair, searched.alone) == ("imgcheck_takes", True, False)
    assert (reversed_.failures, reversed_.ended, reversed_.began) == ((), "done", 3)
    known = facts(modules=[], together=TogetherFacts(runs=(first, reversed_)))
    (fault,) = judge(a_contract(imports=True), known).faults
    assert fault.summary == "imgcheck_needs fails, imported after imgcheck_takes: ImportError: undefined symbol: zz"
    collector.together(an_image(), names, 20)
    assert engine.started == 1


def test_a_crash_has_a_partner_as_well() -> None:
    told = together("takes", "quiet", "dies", "says")
    assert (told["ended"], told["signal"], told["at"]) == ("signal", 6, "imgcheck_dies")
    assert told["searched"] == [
        {"module": "imgcheck_dies", "alone": False, "partner": "imgcheck_takes", "pair": True},
    ]


def test_what_fails_alone_does_not_hide_a_clash() -> None:
    told = together("fails", "exits", "takes", "needs", "quiet")
    assert [one["type"] for one in told["failures"]] == ["ZeroDivisionError", "SystemExit", "ImportError"]  # type: ignore[attr-defined]
    assert [one["alone"] for one in told["searched"]] == [True, True, False]  # type: ignore[attr-defined]
    assert (told["ended"], told["began"]) == ("done", 5)


@pytest.mark.parametrize(
    ("names", "ended", "at"),
    [
        (("quiet", "leaves"), "exit", "imgcheck_leaves"),
        (("quiet", "hangs"), "timeout", "imgcheck_hangs"),
        (("at_exit", "quiet"), "signal", ""),
    ],
)
def test_how_the_process_ended(names: tuple[str, ...], ended: str, at: str) -> None:
    told = together(*names, seconds=0.5)
    assert (told["ended"], told["at"]) == (ended, at)


def test_a_thread_that_stays_is_not_waited_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("imgcheck.collector.together._TO_END", 0.3)
    told = together("stays", "quiet")
    assert (told["ended"], told["searched"]) == ("done", [])


def test_what_is_written_goes_to_its_module_and_is_bounded() -> None:
    told = together("says", "quiet", "noisy")
    written = {one["module"]: one["text"] for one in told["output"]}  # type: ignore[attr-defined]
    assert written["imgcheck_says"] == "compiled using NumPy 1.x"
    assert "imgcheck_quiet" not in written
    assert len(written["imgcheck_noisy"]) <= 4000
    assert written["imgcheck_noisy"].endswith("last words")

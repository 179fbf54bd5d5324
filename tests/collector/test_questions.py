"""What modules say of themselves, with real interpreters."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from imgcheck.collector.questions import ask_modules
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from tests.collector.test_sweep import PYTHONS, Make, packages
from tests.local_engine import LocalEngine, an_image
from tests.native_builds import library, needs_compiler

__all__ = ["packages"]  # a fixture


def asked(folder: Path, module: str, *questions: str, python: str = sys.executable, seconds: float = 20) -> Any:
    (found,) = ask_modules({module: questions}, python, seconds, str(folder))
    return found


@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: Path(path).parts[-3])
def test_each_expression_has_its_own_answer(packages: Make, python: str) -> None:
    folder = packages({"p/__init__.py": "print('noise')\nbuilt = [9, 1]\n", "p/build.py": "flags = 'sm_80 sm_90'\n"})
    found = asked(folder, "p.build", "p.build.flags.split()", "p.built", "p.gone", "object()", python=python)
    assert found["answers"][:2] == [
        {"value": ["sm_80", "sm_90"], "problem": ""},
        {"value": [9, 1], "problem": ""},
    ]
    assert found["answers"][2]["problem"].startswith("AttributeError: ")
    assert found["answers"][3]["problem"].startswith("TypeError: ")  # no JSON's own type


@needs_compiler
def test_libraries_that_the_import_loaded_are_told(packages: Make) -> None:
    folder = packages({})
    file = library(folder / "libhost.so.1")
    (folder / "site").mkdir()
    (folder / "site/p.py").write_text(f"import ctypes\nlib = ctypes.CDLL({str(file)!r})\n")
    found = asked(folder, "p", "ctypes.CDLL('libhost.so.1').one()")
    assert found["answers"] == [{"value": 1, "problem": ""}]
    assert str(file) in found["mapped"]


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import os\nos.abort()", "its process ended with signal 6"),
        ("import time\ntime.sleep(60)", "it did not end within 1 s"),
    ],
)
def test_a_module_that_fails_answers_nothing_and_says_why(packages: Make, source: str, problem: str) -> None:
    folder = packages({"p.py": source})
    found = asked(folder, "p", "p.x", "p.y", seconds=1)
    assert found == {"module": "p", "answers": [{"value": None, "problem": problem}] * 2, "mapped": []}


FORGES = """
import os
for number in range(3, 64):
    try:
        os.write(number, b'["answer",9,"x",""]\\n["mapped",7]\\n[]\\n["answer",true,1,""]\\n{"a":1}\\n')
    except OSError:
        pass
"""


def test_what_a_module_writes_into_the_answers_is_passed_over_where_it_makes_no_sense(packages: Make) -> None:
    found = asked(packages({"p.py": FORGES}), "p", "1 + 1")
    assert found["answers"] == [{"value": 2, "problem": ""}]


def test_the_real_collector_tells_them_typed(tmp_path: Path) -> None:
    engine = LocalEngine(sys.executable)
    collector = Collector(engine=engine, cache=FactsCache(folder=tmp_path))
    (found,) = collector.questions(an_image(), {"json": ("json.__name__",)}, 20).asked
    assert (found.module, found.answers[0].value) == ("json", "json")
    collector.questions(an_image(), {"json": ("json.__name__",)}, 20)
    assert engine.started == 1

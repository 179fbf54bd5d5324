"""The walk: one process for many modules, and the verdicts of a fresh interpreter all the same."""

from __future__ import annotations

import importlib.machinery
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from imgcheck.collector.distributions import find_distributions
from imgcheck.collector.modules import enumerate_modules
from imgcheck.collector.sweep import sweep
from imgcheck.collector.sweep_walk_alone import Alone
from imgcheck.collector.sweep_walk_hub import choose
from imgcheck.collector.sweep_walk_process import Turn
from imgcheck.collector.sweep_walk_share import Share
from tests.collector.test_sweep import (
    MEMORY,
    PYTHONS,
    TIMEOUT,
    VERDICTS,
    Make,
    as_fresh,
    fresh,
    fresh_here,
    hostile,
    left_over,
    packages,
    swept,
)

__all__ = ["hostile", "packages"]  # fixtures

Found = dict[str, dict[str, Any]]


@pytest.fixture(autouse=True)
def _no_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is looked at here is what the walk itself finds out."""
    monkeypatch.setattr("imgcheck.collector.sweep_walk.BUDGET_FOR_REGISTERING", -1.0)
    monkeypatch.setattr("imgcheck.collector.sweep_walk.BUDGET_FOR_ANY", -1.0)
    monkeypatch.setattr("imgcheck.collector.sweep_walk.BUDGET_FOR_ALL", -1.0)


def names_of(files: dict[str, str]) -> list[str]:
    return [name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in files]


def swept_in(
    folder: Path, names: list[str], python: str = sys.executable, **options: object
) -> tuple[Found, dict[str, Any]]:
    """A sweep of modules that have their files."""
    site = folder / "site"
    found: Found = {}
    modules = []
    for name in names:
        path = site / name.replace(".", "/")
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        modules.append({"module": name, "distribution": "x", "path": str(file), "group": "module"})
    settings = {"python": python, "scratch": str(folder), "jobs": 2, "timeout": 10, "memory": None, "method": "walk"}
    summary = sweep(modules, {**settings, **options}, lambda facts: found.update({facts["module"]: facts}))
    assert sorted(found) == sorted(names)
    return found, summary


def walked(make: Make, files: dict[str, str], python: str = sys.executable, **options: object) -> tuple[Found, Any]:
    """The verdicts of a walk, which are those of a fresh interpreter."""
    folder = make(files)
    names = names_of(files)
    found, summary = swept_in(folder, names, python, **options)
    assert summary["method"] == "walk", summary
    assert {name: as_fresh(one) for name, one in found.items()} == {name: fresh(python, name) for name in names}
    return found, summary


def test_hostile_modules_have_their_own_verdicts_in_a_walk(hostile: Path, tmp_path: Path) -> None:
    names = [f"hostile.{name}" for name in VERDICTS]
    found, summary = swept(["hostile", *names], tmp_path, method="walk", timeout=TIMEOUT, memory=MEMORY)
    for name, (status, more) in VERDICTS.items():
        facts = found[f"hostile.{name}"]
        told = {key: facts.get(key) for key in more}
        assert (name, facts["status"], told) == (name, status, more)
    assert left_over(tmp_path) == []
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
    assert summary["method"] == "walk"


def test_a_thread_of_native_code_is_told_of_whom_it_is_and_of_nobody_after(packages: Make) -> None:
    starts = "import ctypes\nlib = ctypes.CDLL(None)\n"
    starts += "lib.pthread_create(ctypes.byref(ctypes.c_ulong()), None, lib.pause, None)\n"
    found, _ = walked(packages, {"n/__init__.py": "", "n/a.py": starts, "n/b.py": "", "n/c.py": "import n.a"})
    assert {name: one.get("side_effects", {}).get("threads") for name, one in found.items()} == {
        "n": None,
        "n.a": 1,
        "n.b": None,
        "n.c": None,
    }


NEW_IMPORT = """import builtins
old = builtins.__import__
def new(name, *more, **others):
    if name == 'colorsys':
        raise ImportError(name)
    return old(name, *more, **others)
builtins.__import__ = new
"""
NEW_FINDER = """import sys
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == 'colorsys':
            raise ImportError(name)
sys.meta_path.insert(0, Finder)
"""

# Each leaves something that `victim` would notice, and does not notice when it is alone.
LEAVES = {
    "a builtin name": ("import builtins\nbuiltins.planted = 1\n", "planted\n"),
    "another __import__": (NEW_IMPORT, "import colorsys\n"),
    "a module": ("import sys, types\nsys.modules['no_such_thing'] = types.ModuleType('x')\n", "import no_such_thing\n"),
    "another module": ("import sys, types, colorsys\nsys.modules['colorsys'] = None\n", "import colorsys\n"),
    "the environment": ("import os\nos.environ['PLANTED'] = 'x'\n", "import os\nos.environ['PLANTED']\n"),
    "less environment": ("import os\ndel os.environ['PYTHONPATH']\n", "import os\nos.environ['PYTHONPATH']\n"),
    "the folder": ("import os\nos.chdir('/proc/self')\n", "open('status').close()\n"),
    "the path": (
        "import sys\nsys.path.insert(0, __file__.rpartition('/')[0] + '/more')\n",
        "import hidden\n",
    ),
    "a finder": (NEW_FINDER, "import colorsys\n"),
    "a signal handler": (
        "import signal\nsignal.signal(signal.SIGUSR1, signal.SIG_IGN)\n",
        "import signal\nassert signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL\n",
    ),
    "a patched library": ("import os\nos.getcwd = None\n", "import os\nos.getcwd()\n"),
    "a thread": (
        "import threading\nimport time\nthreading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n",
        "import threading\nassert threading.active_count() == 1\n",
    ),
    "closed descriptors": ("import os\nos.closerange(0, 3)\n", "import os\nos.fstat(0)\n"),
}


def test_a_submodule_that_its_package_puts_there_is_there_for_everyone(packages: Make) -> None:
    """As collections.abc, which has no file from Python 3.14 on, and importlib._bootstrap."""
    plants = "import sys, types\nsys.modules['plants.abc'] = abc = types.ModuleType('plants.abc')\nabc.x = 1\n"
    users = {
        "u/__init__.py": "",
        "u/a.py": "import plants\n",
        "u/b.py": "import plants.abc\nimport leaves\n",
        "u/c.py": "import plants\nimport leaves\nfrom plants.abc import x\n",
        "u/d.py": "import leaves\nimport plants\nfrom plants.abc import x\n",
    }
    leaves = "import sys, types\nsys.modules['leaves.more'] = types.ModuleType('leaves.more')\n"
    folder = packages({"plants.py": plants, "leaves.py": leaves, **users})
    found, _ = swept_in(folder, names_of(users))
    assert {name: one["status"] for name, one in found.items()} == dict.fromkeys(names_of(users), "ok")


def test_what_no_finder_knows_is_not_looked_for_alone(packages: Make) -> None:
    files = {f"n/{one}.py": "import nothing_of_this_name\n" for one in "abc"}
    _, summary = walked(packages, {"n/__init__.py": "", **files})
    assert "asked" not in summary["work"]


def test_a_finder_that_was_changed_within_makes_nothing_missing(packages: Make) -> None:
    patch = (
        "from importlib.machinery import PathFinder\n"
        "real = PathFinder.find_spec\n"
        "PathFinder.find_spec = lambda name, *more: None if name in ('victim', 'colorsys') else real(name, *more)\n"
    )
    files = {"f/__init__.py": "", "f/a.py": patch, "f/b.py": "import victim\n", "f/c.py": "import colorsys\n"}
    found, _ = walked(packages, {**files, "victim.py": "", "zz.py": "import f.a\n"})
    assert found["f.b"]["status"] == "ok"


def test_what_is_not_there_is_looked_for_alone_once_where_the_path_is_another(packages: Make) -> None:
    lines = "import sys\nsys.path.append('/nothing')\nimport nothing_of_this_name\n"
    _, summary = walked(packages, {"n/__init__.py": "", **{f"n/{one}.py": lines for one in "abc"}})
    assert summary["work"]["asked"] == 1


@pytest.mark.parametrize("what", LEAVES)
def test_what_a_module_leaves_changes_no_other_verdict(packages: Make, what: str) -> None:
    leaves, victim = LEAVES[what]
    walked(packages, {"p/__init__.py": "", "p/a_leaves.py": leaves, "p/b_victim.py": victim})


def test_what_a_module_leaves_is_there_for_those_that_import_it(packages: Make) -> None:
    leaves = "import os, sys\nos.environ['PLANTED'] = 'x'\nsys.path.append(os.path.dirname(__file__) + '/more')\n"
    victim = "import os\nos.environ['PLANTED']\nimport hidden\n"
    packages({"p/more/hidden.py": ""})
    files = {
        "p/__init__.py": "",
        "p/a_leaves.py": leaves,
        "p/b_victim.py": victim,
        "p/c_imports.py": "import p.a_leaves\n" + victim,
        "p/d_imports_an_importer.py": "import p.c_imports\n" + victim,
        "p/e_imports_it_later.py": "from p import a_leaves\n" + victim,
        "p/q/__init__.py": "import p.a_leaves\n",
        "p/q/below.py": victim,
        "p/r.py": victim,
    }
    found, summary = walked(packages, files)
    assert found["p.q.below"]["proof"] == "walk"
    assert summary["work"]["walkers"] == 2  # a failure that nothing imported explains is asked for, and is the same


CYCLES = {
    "direct": {
        "c/a.py": "from c import b\nA = 1\n",
        "c/b.py": "from c import a\n",
        "c/d.py": "from c import e\nD = 1\n",
        "c/e.py": "from c.d import D\n",
    },
    "works from one side": {
        "c/a.py": "import c.b\nA = 1\n",
        "c/b.py": "from c.a import A\n",
        "c/z.py": "import c.a\n",
        "c/y.py": "import c.b\n",
    },
    "works from the other side": {
        "c/b.py": "import c.a\nB = 1\n",
        "c/a.py": "import c.z\n",
        "c/z.py": "from c import b\n",
    },
    "by a package that is half way": {
        "c/p/__init__.py": "from c.p import one\nfrom c import user\nX = 1\n",
        "c/p/one.py": "ONE = 1\n",
        "c/user.py": "from c.p.one import ONE\nimport c.p\nif hasattr(c.p, 'X'):\n    raise ValueError('too late')\n",
        "c/z.py": "import c.user\n",
    },
    "by a finished module of an open cycle (Tarjan)": {
        # a -> b -> a (half way): b is finished, and its cycle open, when d meets it
        "c/a.py": "import c.b\nimport c.d\nA = 1\n",
        "c/b.py": "import c.a\ndef get():\n    return c.a.A\n",
        "c/d.py": "import c.b\nimport sys\nassert not hasattr(sys.modules['c.a'], 'A')\n",
        "c/x.py": "import c.d\n",
    },
    "swallowed inside": {
        "c/a.py": "import c.b\nA = 1\n",
        "c/b.py": "try:\n    from c.a import A\nexcept ImportError:\n    A = None\nassert A is None\n",
        "c/u.py": "import c.b\n",
        "c/v.py": "import c.u\n",
    },
}


@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: Path(path).parts[-3])
@pytest.mark.parametrize("what", CYCLES)
def test_import_cycles(packages: Make, what: str, python: str) -> None:
    walked(packages, {"c/__init__.py": "", **CYCLES[what]}, python)


def test_a_failure_is_raised_again_for_all_that_import_it(packages: Make) -> None:
    files = {
        "s/__init__.py": "",
        "s/a.py": "try:\n    import s.root\nexcept Exception:\n    pass\n",
        "s/b.py": "import s.root\n",
        "s/c.py": "try:\n    from s import root\nexcept Exception as error:\n    raise KeyError('c') from error\n",
        "s/d.py": "import nothing_of_this_name\n",
        "s/e.py": "import s.broken.below\n",
        "s/broken/__init__.py": "import s.broken.below\n1 / 0\n",
        "s/broken/below.py": "",
        # executed a second time in one process it would pass
        "s/root.py": "import sys\nseen = hasattr(sys, 'x')\nsys.x = 1\nif not seen:\n    raise ValueError('once')\n",
        "s/z.py": "import s.root\n",
    }
    found, summary = walked(packages, files)
    assert summary["work"]["asked"] == 2  # s.root, s.broken
    assert summary["work"]["walkers"] == 1
    frames = [(Path(one["file"]).name, one["line"]) for one in found["s.z"]["error"]["frames"]]
    assert frames == [("z.py", 1), ("root.py", 5)]
    assert found["s.broken.below"]["inherited_from"] == "s.broken"


def test_a_known_failure_within_a_cycle_is_no_doubt_for_others(packages: Make) -> None:
    files = {f"s/after{number}.py": "import s.root\n" for number in range(3)} | {
        "s/__init__.py": "",
        "s/a.py": "import s.root\n",
        "s/c.py": "import s.d\n",
        "s/d.py": "import s.e\n",
        "s/e.py": "import s.c\nimport s.root\n",
        "s/root.py": "raise ValueError('always')\n",
    }
    _, summary = walked(packages, files)
    assert summary["work"]["suspects: soft"] <= 3  # s.c, s.d, s.e


def test_a_failure_whose_words_depend_on_who_imports_it(packages: Make) -> None:
    compat = (
        "import sys\nraise ImportError('asked by ' + ', '.join(sorted(set(sys.modules) & {'q.a', 'q.b', 'q.c'})))\n"
    )
    files = {"q/__init__.py": "", "q/compat.py": compat}
    walked(packages, files | {f"q/{one}.py": "import q.compat\n" for one in "abc"})


def test_who_has_started_processes_is_not_run_to_its_end_twice(packages: Make, tmp_path: Path) -> None:
    ends = tmp_path / "ends"
    child = f"import time\ntime.sleep(2.5)\nopen({str(ends)!r}, 'a').write('x')\n"
    starts = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {child!r}], check=True)\n"
    files = {"p/__init__.py": "", "p/a.py": "", "p/starts.py": starts, "p/z.py": ""}
    found, summary = swept_in(packages(files), names_of(files))
    assert {one["status"] for one in found.values()} == {"ok"}
    assert summary["work"]["restarts: children"] == 1
    assert ends.read_text() == "x"


def test_of_small_distributions_some_have_a_proof() -> None:
    """So many that all of them together spend what they may."""
    having = 0
    for number in range(400):
        share = Share([{"module": f"small{number}"}], cast("Alone", None))
        share.take(f"small{number}", Turn({"cpu": 0.3}, "own", None, None, (), redo=False, damage=()))
        share.start_spending(0.1)
        having += share.may_spend()
    assert 160 <= having <= 240  # half of 0.06 seconds


def test_what_could_wait_for_a_thread_of_its_package_is_tried_without_one_as_well(packages: Make) -> None:
    files = {
        "t/__init__.py": "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n",
        "t/looks.py": "import threading\nif threading.active_count() < 2:\n    raise RuntimeError('nobody is there')\n",
        "t/misses.py": "from os import nothing_of_this_name\n",
    }
    found, summary = swept_in(packages(files), names_of(files), method="exact")
    assert found["t.looks"]["status"] == "ok"
    assert found["t.misses"]["error"]["type"] == "ImportError"
    assert summary["work"]["forks"] == len(files) + 1  # what is not there is there for no thread


def test_a_module_that_hangs_is_waited_for_once(packages: Make) -> None:
    files = {"h/__init__.py": "", "h/a.py": "import time\nwhile True:\n    time.sleep(1)\n"}
    files |= {f"h/b{number}.py": "import h.a\n" for number in range(6)}
    files |= {"h/c.py": "try:\n    import h.a\nexcept BaseException:\n    pass\n", "h/d.py": ""}
    folder = packages(files)
    found, summary = swept_in(folder, names_of(files), timeout=2.0)
    assert {name: one["status"] for name, one in found.items()} == {
        name: "ok" if name in ("h", "h.d") else "timeout" for name in names_of(files)
    }
    assert summary["wall"] < 8


def test_a_crash_is_not_repeated_by_all_that_import_it(packages: Make) -> None:
    crash = "import ctypes\nctypes.string_at(0)\n"
    files = {"k/__init__.py": "", "k/a.py": crash, "k/b.py": "import k.a\n", "k/c.py": ""}
    folder = packages(files)
    found, _ = swept_in(folder, names_of(files))
    assert [found[name]["status"] for name in names_of(files)] == ["ok", "signal", "signal", "ok"]
    assert 'a.py", line 2' in found["k.a"]["stderr"]


REGISTRY = {
    "r/__init__.py": "names = set()\n",
    "r/a_registers.py": "import r\nr.names.add('x')\n",
    "r/b_needs.py": "import r\nassert 'x' in r.names\n",
    "r/c_names_it.py": "from r import b_needs\n",
    "r/d_binds.py": "import xml.dom.minidom\n",
    "r/e_forgets.py": "import xml\nxml.dom.minidom\n",
}


@pytest.mark.parametrize("budget", ["BUDGET_FOR_ANY", "BUDGET_FOR_ALL"])
def test_a_pass_that_hangs_on_a_registry_is_found_out(
    packages: Make, monkeypatch: pytest.MonkeyPatch, budget: str
) -> None:
    monkeypatch.setattr("imgcheck.collector.sweep_walk." + budget, 10_000.0)
    monkeypatch.setattr("imgcheck.collector.sweep_walk.BUDGET_FOR_REGISTERING", 10_000.0)  # for the rest of a package
    found, summary = walked(packages, REGISTRY)
    assert {"r.b_needs", "r.e_forgets"} <= set(summary["disagreements"])
    assert found["r.c_names_it"]["status"] == "exception"


def test_who_registers_something_by_others_names_is_proved_first(
    packages: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("imgcheck.collector.sweep_walk.BUDGET_FOR_REGISTERING", 10_000.0)
    register = "import r\n@r.register(\n    r.space.names.x,\n)\ndef rule():\n    pass\n"
    files = {
        "r/__init__.py": "class names: pass\nclass space: names = names\nregister = lambda name: lambda one: one\n",
        "r/a_registers.py": "import r\nr.space.names.x = 1\n",
        "r/b_needs.py": register,
        "r/c/__init__.py": "from r.c import inner\n",
        "r/c/inner.py": register,
        "r/d_is_well.py": register.replace(".x", ".__name__"),
    }
    found, summary = walked(packages, files)
    assert set(summary["disagreements"]) == {"r.b_needs", "r.c"}
    assert found["r.c.inner"]["inherited_from"] == "r.c"


def test_without_a_proof_a_pass_says_what_it_rests_on(packages: Make) -> None:
    folder = packages(REGISTRY)
    found, summary = swept_in(folder, names_of(REGISTRY))
    assert found["r.b_needs"]["status"] == "ok"
    assert found["r.b_needs"]["proof"] == "walk"
    assert summary["disagreements"] == []


@pytest.mark.parametrize(
    "breaks",
    [
        "_bootstrap._find_and_load.__code__; del _bootstrap._lock_unlock_module",
        "sys.implementation.name = 'other'",
        "sys.version_info = (3, 99, 0)",
    ],
)
def test_a_python_that_cannot_be_watched_is_swept_in_the_exact_way(packages: Make, breaks: str) -> None:
    folder = packages(
        {"sitecustomize.py": f"import sys\nfrom importlib import _bootstrap\n{breaks}\n", "x.py": "1 / 0\n"}
    )
    found, summary = swept(["x"], folder, method="walk")
    assert found["x"]["error"]["type"] == "ZeroDivisionError"
    assert summary["method"] == "exact"
    assert summary["fallback"]


def test_a_python_whose_importlib_is_built_otherwise_is_noticed(packages: Make) -> None:
    """It has the functions, and calls others."""
    custom = "import builtins, importlib\nbuiltins.__import__ = importlib.__import__\n"
    custom += "from importlib import _bootstrap\nold = _bootstrap._find_and_load\n"
    custom += "def _gcd_import(name, package=None, level=0):\n    return old(name, _gcd_import)\n"
    custom += "_bootstrap._gcd_import = _gcd_import\n"
    folder = packages({"sitecustomize.py": custom, "x.py": ""})
    found, summary = swept(["x"], folder, method="walk")
    assert found["x"]["status"] == "ok"
    assert summary["method"] == "exact"
    assert "does not call" in summary["fallback"]


HUB = {
    "hub.py": "import email\nimport sys\nsys.x = []\nHUB = 1\n",
    "bad.py": "raise ValueError('for all')\n",
    "u/__init__.py": "",
    "u/a.py": "import hub\nimport sys\nassert not sys.x\nsys.x.append(1)\n",  # so it is no good for company
    "u/b.py": "import hub\nimport email\n",
    "u/c.py": "import bad\n",
    "u/d.py": "import email\nemail.message\n",
}


@pytest.fixture
def _few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("imgcheck.collector.sweep_walk_hub._MANY_MODULES", 1)


@pytest.mark.usefixtures("_few_are_many")
def test_the_hub_is_what_large_distributions_require() -> None:
    def module(name: str, distribution: str, group: str = "module") -> dict[str, str]:
        return {"module": name, "distribution": distribution, "group": group}

    modules = [module("big", "Big"), module("big.a", "Big"), module("small", "small"), module("both", "bo.th")]
    modules += [module("both.tests", "bo.th", "test"), module("_private", "bo.th"), module("one", "one")]
    requires = {"Big": ["one>=1 ; python_version > '3'", "Bo_Th"], "small": ["bo-th[x]"], "one": ["absent"]}
    assert choose(modules, requires) == ["both", "one"]


@pytest.mark.usefixtures("_few_are_many")
@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: Path(path).parts[-3])
def test_walkers_are_forked_from_the_hub(packages: Make, python: str) -> None:
    found, summary = walked(packages, HUB, python, requires={"x": ["x"]})
    assert summary["work"]["common"] == 3  # hub, bad, u
    assert found["u.c"]["error"]["message"] == "for all"


@pytest.mark.usefixtures("_few_are_many")
def test_a_hub_grows_beyond_what_walkers_may(packages: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would end with one of its last modules, and none would be made."""
    for name, value in (("_LARGEST", -1), ("_FEWEST", 1), ("_LOOK_EVERY", 1)):
        monkeypatch.setattr(f"imgcheck.collector.sweep_walk_process.{name}", value)
    _, summary = walked(packages, HUB, requires={"x": ["x"]})
    assert summary["work"]["common"] == 3  # hub, bad, u
    assert summary["work"]["restarts: full"]


@pytest.mark.usefixtures("_few_are_many")
def test_a_hub_that_is_killed_is_made_again(packages: Make) -> None:
    files = {**HUB, "u/kills.py": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n", "u/z.py": "import hub"}
    folder = packages(files)
    found, _ = swept_in(folder, names_of(files), requires={"x": ["x"]})
    del found["u.kills"]  # who kills a parent ends in any way
    assert {name for name, one in found.items() if one["status"] != "ok"} == {"bad", "u.c", "u.d"}


@pytest.mark.usefixtures("_few_are_many")
def test_what_is_no_good_for_company_is_not_in_the_hub(packages: Make) -> None:
    files = {**HUB, "eats.py": "import builtins\nbuiltins.len = 3\n"}
    _, summary = walked(packages, files, requires={"x": ["x"]})
    assert summary["work"]["common"] == 3  # hub, bad, u


def test_a_walker_that_grew_large_is_replaced(packages: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("imgcheck.collector.sweep_walk_process._LARGEST", -1)
    files = {"m/__init__.py": "", **{f"m/a{number}.py": "" for number in range(60)}}
    _, summary = walked(packages, files)
    assert summary["work"]["restarts: full"] == 2


def test_every_module_of_real_distributions_as_a_fresh_interpreter(tmp_path: Path) -> None:
    path = [one for one in sys.path if one.endswith("-packages")]
    wanted = {"packaging", "pluggy", "iniconfig", "rich"}
    distributions = [one for one in find_distributions(path) if one["name"].lower() in wanted]
    modules = enumerate_modules(distributions, path, importlib.machinery.EXTENSION_SUFFIXES)
    names = sorted({one["module"] for one in modules if one["group"] in ("module", "main")})
    found, summary = swept(names, tmp_path, method="walk")
    assert summary["method"] == "walk"
    compared = names[:: 1 + len(names) // 16]
    assert {name: as_fresh(found[name]) for name in compared} == {name: fresh_here(name) for name in compared}

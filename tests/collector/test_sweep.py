"""The sweep against hostile modules, and against a fresh interpreter per module, on every Python that is here."""

from __future__ import annotations

import ast
import functools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from imgcheck.collector.modules import enumerate_modules
from imgcheck.collector.sweep import sweep

HOSTILE = Path(__file__).parent / "hostile"
PYENV = Path.home() / ".pyenv" / "versions"
PYTHONS = [
    str(path)
    for path in (next(iter(sorted(PYENV.glob(f"3.{minor}.*/bin/python"))), None) for minor in range(8, 15))
    if path
]
MEMORY = 150 << 20
TIMEOUT = 1.0
NOTHING = {"type": None, "message": None}

# What each hostile module is told to have done: status, then what else must hold.
VERDICTS: dict[str, tuple[str, dict[str, object]]] = {
    "aborts": ("signal", {"signal": 6}),
    "at_exit": ("ok", {}),
    "becomes_another": ("exit", {"exit_code": 0}),
    "becomes_none": ("ok", {}),
    "broken_syntax": ("exception", {}),
    "changes_environment": ("ok", {}),
    "changes_folder": ("ok", {}),
    "chained": ("exception", {}),
    "closes_all": ("ok", {}),
    "deaf": ("timeout", {"limit": "busy"}),
    "eats_memory": ("memory", {}),
    "exits_hard": ("exit", {"exit_code": 0}),
    "exits_sys": ("exit", {"exit_code": 3}),
    "exits_with_words": ("exit", {"exit_code": 1}),
    "fork_storm": ("timeout", {}),
    "forges": ("ok", {}),
    "forks": ("ok", {}),
    "good_first": ("ok", {}),
    "good_last": ("ok", {}),
    "handlers": ("ok", {}),
    "hangs": ("timeout", {"limit": "idle"}),
    "interrupts": ("exception", {}),
    "kills_itself": ("signal", {"signal": 9}),
    "kills_parent": ("ok", {}),
    "leaves_child": ("ok", {}),
    "leaves_orphan": ("ok", {}),
    "long_message": ("exception", {}),
    "noisy": ("ok", {}),
    "patches_builtins": ("exception", {}),
    "patches_import": ("ok", {}),
    "patches_os": ("exception", {}),
    "prints_oddly": ("exception", {}),
    "reads_input": ("exception", {}),
    "recurses": ("exception", {}),
    "reuses_descriptors": ("ok", {}),
    "segfault": ("signal", {"signal": 11}),
    "spins": ("timeout", {"limit": "busy"}),
    "stops_parent": ("ok", {}),
    "thread": ("ok", {}),
    "unprintable": ("exception", {}),
}
# Alone in its process a module may do these to whoever holds it; a fresh interpreter cannot be asked for comparison.
NOT_COMPARED = {"deaf", "eats_memory", "fork_storm", "forks", "hangs", "kills_parent", "leaves_child", "spins"}
NOT_COMPARED |= {"closes_all", "reuses_descriptors", "patches_builtins"}  # it could not answer
NOT_COMPARED |= {"stops_parent", "thread", "forges", "leaves_orphan", "at_exit"}

FRESH = """
import posix, sys
if sys.path[:1] == [""]:
    del sys.path[0]
try:
    __import__({name!r})
except BaseException as error:
    kind = type(error).__name__
    try:
        text = str(error)[:2000]
    except BaseException:
        text = "<exception str() failed>"
    answer = ["exit" if kind == "SystemExit" else "exception", kind, text]
else:
    answer = ["ok", None, None]
posix.write({number}, ascii(answer).encode())
"""


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on PYTHONPATH with the package `hostile` and a few good packages."""
    package = tmp_path / "site" / "hostile"
    package.mkdir(parents=True)
    for source in HOSTILE.glob("*.txt"):
        (package / f"{source.stem}.py").write_text(source.read_text())
    (package / "__init__.py").write_text("")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    return package.parent


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def swept(
    names: list[str], folder: Path, python: str = sys.executable, **options: object
) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    modules = [{"module": name, "distribution": "x", "path": "", "group": "module"} for name in names]
    settings = {"python": python, "scratch": str(folder), "jobs": 2, "timeout": 10, "memory": None, **options}

    def emit(facts: dict[str, Any]) -> None:
        assert facts["module"] not in found, "told twice"
        found[facts["module"]] = facts

    summary = sweep(modules, settings, emit)
    assert sorted(found) == sorted(names)
    return found, summary


@functools.cache
def fresh_here(name: str) -> list[Any]:
    return fresh(sys.executable, name)


def fresh(python: str, name: str) -> list[Any]:
    """What a fresh interpreter says to `import name`."""
    ours, theirs = os.pipe()
    child = subprocess.run(  # noqa: PLW1510
        [python, "-c", FRESH.format(name=name, number=theirs)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[theirs],
        start_new_session=True,
    )
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        text = pipe.read().decode()
    if text:
        return list(ast.literal_eval(text))
    return ["signal" if child.returncode < 0 else "exit", None, None]


def as_fresh(facts: dict[str, Any]) -> list[Any]:
    error = facts["error"] or NOTHING
    return [facts["status"], error["type"], error["message"]]


def left_over(folder: Path) -> list[str]:
    """Processes that have to do with this test."""
    found = []
    for process in filter(str.isdigit, [path.name for path in Path("/proc").iterdir()]):
        try:
            line = Path("/proc", process, "cmdline").read_bytes() + Path("/proc", process, "environ").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in line and int(process) != os.getpid():
            found.append(line.decode(errors="replace")[:300])
    return found


@pytest.mark.parametrize("method", ["tree", "exact"])
def test_each_hostile_module_has_its_own_verdict_and_disturbs_nobody(
    hostile: Path, tmp_path: Path, method: str
) -> None:
    names = [f"hostile.{name}" for name in VERDICTS]
    found, summary = swept(["hostile", *names], tmp_path, method=method, timeout=TIMEOUT, memory=MEMORY)
    for name, (status, more) in VERDICTS.items():
        facts = found[f"hostile.{name}"]
        told = {key: facts.get(key) for key in more}
        assert (name, facts["status"], told) == (name, status, more)
    assert summary["statuses"]["ok"] == 1 + sum(status == "ok" for status, _ in VERDICTS.values())
    assert left_over(tmp_path) == []
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
    assert summary["leftovers"]


@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: Path(path).parts[-3])
def test_hostile_modules_end_as_in_a_fresh_interpreter_of_every_python(
    hostile: Path, tmp_path: Path, python: str
) -> None:
    names = [f"hostile.{name}" for name in sorted(set(VERDICTS) - NOT_COMPARED)] + ["hostile.careless"]
    found, _ = swept(names, tmp_path, python=python)
    assert {name: as_fresh(found[name]) for name in names} == {name: fresh(python, name) for name in names}


@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: Path(path).parts[-3])
def test_nothing_of_ours_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: str) -> None:
    seen = {
        "modules": "sorted(sys.modules)",
        "path": "[one for one in sys.path if one]",
        "arguments": "sys.argv",
        "main": "sorted(vars(sys.modules['__main__']))",
        "importer": "[one.f_globals['__name__'] for one in frames() if 'importlib' not in one.f_code.co_filename][1]",
        "signals": "[sys.modules['_signal'].getsignal(one) for one in range(1, 32)]",
        "files": "[one for one in range(3) if os.fstat(one)]",
        "directory": "os.getcwd()",
        "environment": "sorted(os.environ.items())",
    }
    frames = "def frames():\n    one = sys._getframe(1)\n    while one:\n        yield one\n        one = one.f_back\n"
    tell = "import os\nimport sys\n" + frames + "with open({file!r}, 'w') as file:\n    file.write(ascii([{told}]))\n"
    answer = tmp_path / "answer"
    write(tmp_path / "site", {"tell.py": tell.format(file=str(answer), told=", ".join(seen.values()))})
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    found, _ = swept(["tell"], tmp_path, python=python)
    assert as_fresh(found["tell"]) == ["ok", None, None]
    told = answer.read_text()
    subprocess.run([python, "-c", "import tell"], stdin=subprocess.DEVNULL, check=True)
    assert told == answer.read_text()


def test_what_a_user_forgets_to_import_is_missing_here_too(hostile: Path, tmp_path: Path) -> None:
    found, _ = swept(["hostile.careless"], tmp_path, python=sys.executable)
    assert as_fresh(found["hostile.careless"]) == fresh(sys.executable, "hostile.careless")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[dict[str, str]], Path]]:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")

    def make(files: dict[str, str]) -> Path:
        write(tmp_path / "site", files)
        return tmp_path

    yield make
    assert left_over(tmp_path) == []


Make = Callable[[dict[str, str]], Path]


def test_a_module_below_a_failing_package_fails_for_its_reason(packages: Make) -> None:
    folder = packages({"bad/__init__.py": "1 / 0\n", "bad/inner/__init__.py": "", "bad/inner/most.py": ""})
    found, _ = swept(["bad", "bad.inner", "bad.inner.most"], folder)
    assert [one["status"] for one in found.values()] == ["exception"] * 3
    assert found["bad"]["inherited_from"] is None
    assert found["bad.inner.most"]["inherited_from"] == "bad"
    assert found["bad.inner.most"]["error"]["type"] == "ZeroDivisionError"


def test_a_package_that_nobody_asked_for_can_be_the_reason(packages: Make) -> None:
    folder = packages({"bad/__init__.py": "1 / 0\n", "bad/inner.py": ""})
    found, _ = swept(["bad.inner"], folder)
    assert found["bad.inner"]["inherited_from"] == "bad"


def test_an_error_names_its_place_and_all_that_is_behind_it(packages: Make) -> None:
    folder = packages(
        {
            "outer.py": "from middle import go\n\ngo()\n",
            "middle.py": "def go():\n    try:\n        import nothing_of_this_name.sub\n"
            "    except ImportError:\n        raise RuntimeError('install it') from None\n",
        }
    )
    found, _ = swept(["outer"], folder)
    error = found["outer"]["error"]
    assert [(one["line"], one["function"], one["text"]) for one in error["frames"]] == [
        (3, "<module>", "go()"),
        (5, "go", "raise RuntimeError('install it') from None"),
    ]
    assert [(one["type"], one["name"]) for one in error["chain"]] == [
        ("RuntimeError", None),
        ("ModuleNotFoundError", "nothing_of_this_name"),
    ]
    assert error["chain"][1]["frame"]["line"] == 3


def test_a_crash_is_traced_without_a_fault_handler_in_the_tested_process(packages: Make) -> None:
    folder = packages(
        {
            "crash.py": "import ctypes, sys\nif 'faulthandler' not in sys.modules:\n    seen = 1\n"
            "ctypes.string_at(0)\n",
            "look.py": "import sys\nassert 'faulthandler' not in sys.modules\n",
        }
    )
    found, _ = swept(["crash", "look"], folder)
    assert found["crash"]["signal"] == 11
    assert 'crash.py", line 4' in found["crash"]["stderr"]
    assert found["look"]["status"] == "ok"


DEAR = "import time\nend = time.process_time() + 0.1\nwhile time.process_time() < end:\n    pass\n"


def test_siblings_that_share_a_process_still_get_the_verdict_of_a_fresh_one(
    packages: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("imgcheck.collector.sweep_siblings._DEAR", 0.05)
    files = {"dear/__init__.py": "names = []\n", "heavy.py": DEAR}
    files |= {f"dear/a{number}.py": "import heavy\n" for number in range(6)}
    files |= {
        # in a cycle: works only when entered at d1
        "dear/d1.py": "import heavy\nfrom dear import d2\nA = 1\n",
        "dear/d2.py": "def later():\n    from dear.d1 import A\n",
        # e2 needs what e1 left in a sibling, which fails alone
        "dear/e1.py": "import heavy\nimport dear\ndear.ready = True\nfrom dear import sub_e\n",
        "dear/sub_e.py": "import heavy\nimport dear\nassert dear.ready\n",
        "dear/z.py": "import heavy\nimport dear.sub_e\n",
        "dear/y.py": "import heavy\n1 / 0\n",
    }
    folder = packages(files)
    names = sorted(name[:-3].replace("/", ".") for name in files if name.startswith("dear/") and "__init__" not in name)
    tree, summary = swept(["dear", *names], folder, method="tree")
    exact, _ = swept(["dear", *names], folder, method="exact")
    assert summary["work"]["batches"] > 0
    assert {one["proof"] for one in tree.values() if one["status"] == "ok"} >= {"alone", "siblings"}
    assert {name: as_fresh(one) for name, one in tree.items()} == {name: as_fresh(one) for name, one in exact.items()}
    assert tree["dear.sub_e"]["status"] == tree["dear.z"]["status"] == "exception"


def test_a_busy_machine_is_not_the_fault_of_the_module(packages: Make) -> None:
    folder = packages({"slow.py": DEAR.replace("0.1", "0.6")})
    spinning = [subprocess.Popen([sys.executable, "-c", "while 1: pass"]) for _ in range(6)]
    try:
        found, _ = swept(["slow"], folder, timeout=1.0)
    finally:
        for one in spinning:
            one.kill()
            one.wait()
    assert found["slow"]["status"] == "ok"


def test_a_python_that_does_not_start_is_an_error(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho no such library >&2\nexit 127\n")
    python.chmod(0o755)
    with pytest.raises(RuntimeError, match="no such library"):
        swept(["x"], tmp_path, python=str(python))


@pytest.mark.parametrize("method", ["tree", "exact"])
def test_every_module_of_real_distributions_as_a_fresh_interpreter(tmp_path: Path, method: str) -> None:
    import importlib.machinery

    from imgcheck.collector.distributions import find_distributions

    path = [one for one in sys.path if one.endswith("-packages")]
    wanted = {"packaging", "pluggy", "iniconfig"}
    distributions = [one for one in find_distributions(path) if one["name"].lower() in wanted]
    modules = enumerate_modules(distributions, path, importlib.machinery.EXTENSION_SUFFIXES)
    names = sorted({one["module"] for one in modules if one["group"] in ("module", "main")})
    found, _ = swept(names, tmp_path, method=method)
    compared = names[:: 1 + len(names) // 16]
    assert {name: as_fresh(found[name]) for name in compared} == {name: fresh_here(name) for name in compared}


SWEEP = """
import signal, sys
from imgcheck.collector.sweep import sweep
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
print("begun", flush=True)
modules = [{"module": name, "distribution": name, "group": "module"} for name in ("waits", "package.waits")]
sweep(modules, {"python": sys.executable, "scratch": sys.argv[1], "method": sys.argv[2]}, print)
"""


@pytest.mark.parametrize("method", ["walk", "tree"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_runs_on_when_the_sweep_is_broken_off(packages: Make, number: signal.Signals, method: str) -> None:
    waits = "import pathlib, time\npathlib.Path({!r}, 'here-' + __name__).touch()\nwhile True:\n    time.sleep(0.2)\n"
    folder = packages({"package/__init__.py": ""})
    stops = waits.format(str(folder))
    if number is not signal.SIGINT:  # these leave no time to clean up: a module lives as long as its container
        stops = stops.replace("while True", "while os.path.exists('/proc/{}'.format(server))")
        stops = "import os\nserver = int(os.environ['SERVER'])\n" + stops
    packages({"waits.py": stops, "package/waits.py": stops})
    environment = dict(os.environ, PYTHONPATH=f"{folder / 'site'}:{Path(__file__).parents[2]}")
    command = f'export SERVER=$$; exec "{sys.executable}" -c "$0" "$1" "$2"'
    server = subprocess.Popen(
        ["sh", "-c", command, SWEEP, str(folder), method], env=environment, stderr=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: len(list(folder.glob("here-*"))) == 2)
        server.send_signal(number)
        assert server.wait(10) != 0
    finally:
        server.kill()
        server.wait()
    wait_until(lambda: not left_over(folder))


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 15
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)

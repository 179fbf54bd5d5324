"""What imports leave and try beside their verdicts: told of every module, and the whole story of a few."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.collector.test_sweep import PYTHONS, Make, as_fresh, fresh, left_over, packages, swept

__all__ = ["packages"]  # a fixture

CALLS = "try:\n    socket.create_connection(('127.0.0.1', 9), 0.1)\nexcept OSError:\n    pass\n"
EFFECTS = {
    "environment.py": "import os\nos.environ['NEW'] = '1'\nos.environ.pop('GONE', None)\n",
    "directory.py": "import os\nos.chdir('/usr')\n",
    "path.py": "import sys\nsys.path.append('/added')\nsys.path.remove('/removed')\n",
    "signals.py": "import signal\nsignal.signal(signal.SIGTERM, lambda *_: None)\n",
    "threads.py": "import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n",
    "network.py": f"import socket\n{CALLS}{CALLS}",
    "resolves.py": "import socket\ntry:\n    socket.getaddrinfo('localhost', 443)\nexcept OSError:\n    pass\n",
    "asks_twice.py": "import network\n",
    "nothing.py": "import os\n",
}
TOLD: dict[str, dict[str, Any]] = {
    "environment": {"environment": ["GONE", "NEW"]},
    "directory": {"directory": "/usr"},
    "path": {"path": ["+/added", "-/removed"]},
    "signals": {"signals": [15]},
    "threads": {"threads": 1},
    "network": {"network": ["getaddrinfo 127.0.0.1:9", "connect 127.0.0.1:9"]},
    "resolves": {"network": ["getaddrinfo localhost:443"]},
    "asks_twice": {"network": ["getaddrinfo 127.0.0.1:9", "connect 127.0.0.1:9"]},
    "nothing": {},
}


@pytest.mark.parametrize("method", ["tree", "story"])
@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: Path(path).parts[-3])
def test_what_imports_leave_changed_is_told(
    packages: Make, monkeypatch: pytest.MonkeyPatch, python: str, method: str
) -> None:
    folder = packages(EFFECTS)
    monkeypatch.setenv("GONE", "x")
    monkeypatch.setenv("PYTHONPATH", f"{folder / 'site'}:/removed")
    found, _ = swept(sorted(TOLD), folder, python, method=method)
    assert {name: one["status"] for name, one in found.items()} == dict.fromkeys(TOLD, "ok")
    assert {name: one.get("side_effects", {}) for name, one in found.items()} == TOLD


def test_an_attempt_belongs_to_the_module_that_makes_it(packages: Make) -> None:
    folder = packages(
        {
            "calls/__init__.py": f"import socket\n{CALLS}",
            "calls/quiet.py": "",
            "calls/again.py": f"import socket\n{CALLS}",
        }
    )
    found, _ = swept(["calls", "calls.quiet", "calls.again"], folder)
    assert [name for name, one in found.items() if one.get("side_effects", {}).get("network")] == [
        "calls",
        "calls.again",
    ]


@pytest.mark.parametrize("method", ["tree", "story"])
def test_a_process_that_is_left_is_told_and_ended(packages: Make, method: str) -> None:
    folder = packages({"leaves.py": "import subprocess\nchild = subprocess.Popen(['sleep', '60'])\n"})
    found, _ = swept(["leaves"], folder, method=method)
    assert found["leaves"]["side_effects"]["processes"]
    assert left_over(folder) == []


HOSTILE_ADDRESS = """
import socket
class Text(str):
    def __str__(self): raise SystemExit(9)
    __hash__ = __eq__ = __len__ = __getitem__ = __str__
class Odd:
    @property
    def __class__(self): raise SystemExit(9)
for host in (Text("a.example"), Odd(), "x" * 100_000, b"\\xff", None):
    try:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"", (host, 9))
    except (OSError, TypeError, ValueError, UnicodeError):
        pass
"""


@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: Path(path).parts[-3])
def test_nobody_can_trip_the_listener(packages: Make, python: str) -> None:
    deep = "import socket\ndef f():\n    try:\n        socket.gethostbyname('')\n    finally:\n        f()\nf()\n"
    folder = packages({"odd.py": HOSTILE_ADDRESS, "deep.py": deep})
    for method in ("tree", "story"):
        found, _ = swept(["odd", "deep"], folder, python, method=method)
        assert {name: as_fresh(one)[:2] for name, one in found.items()} == {
            name: fresh(python, name)[:2] for name in found
        }


@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: Path(path).parts[-3])
def test_a_story_tells_files_libraries_commands_and_memory(packages: Make, python: str) -> None:
    folder = packages({"inner/__init__.py": "", "inner/deep.py": "block = bytearray(40 << 20)\n"})
    written = folder / "written"
    text = f"""
import ctypes, os, socket, subprocess
import inner.deep
with open({str(written)!r}, "w") as file:
    file.write("x")
open({str(written)!r}).close()
open("/dev/null", "w").close()
os.chdir({str(folder)!r})
os.mkdir("made")
os.close(os.open("made/by_number", os.O_CREAT | os.O_WRONLY))
os.remove({str(written)!r})
ctypes.CDLL(None)
try:
    ctypes.CDLL("libnowhere.so.1")
except OSError:
    pass
subprocess.run(["true", "and", "more"])
server = socket.socket()
server.bind(("127.0.0.1", 0))
"""
    packages({"busy.py": text})
    found, _ = swept(["busy"], folder, python, method="story")
    facts = found["busy"]
    effects = facts["side_effects"]
    made = str(folder / "made")
    assert (facts["status"], effects["files"]) == ("ok", [str(written), made, f"{made}/by_number"])
    assert effects["removed"] == [str(written)]
    assert "libnowhere.so.1" in effects["libraries"]
    assert "" not in effects["libraries"]
    assert effects["commands"] == ["true and more"]
    assert effects["bound"] == ["127.0.0.1:0"]
    assert {"busy", "inner", "inner.deep", "ctypes"} <= set(facts["loaded"])
    assert "sys" not in facts["loaded"]
    assert 40 << 20 < facts["peak_memory"] < 200 << 20
    assert not left_over(folder)


def test_a_story_is_told_of_failures_too(packages: Make) -> None:
    folder = packages(
        {
            "package/__init__.py": "import json\nraise ValueError('no')\n",
            "package/below.py": "",
            "crash.py": "import ctypes\nctypes.string_at(0)\n",
        }
    )
    found, _ = swept(["package", "package.below", "crash"], folder, method="story")
    assert as_fresh(found["package.below"]) == ["exception", "ValueError", "no"]
    assert found["package.below"]["inherited_from"] is None
    assert "json" in found["package"]["loaded"]
    assert found["crash"]["status"] == "signal"
    assert found["crash"]["loaded"] is None
    assert "string_at" in found["crash"]["stderr"]


def test_a_story_loads_what_a_bare_interpreter_loads(packages: Make) -> None:
    folder = packages({"a/__init__.py": "import json\n", "a/b.py": "import string\n"})
    found, _ = swept(["a.b"], folder, method="story", python=sys.executable)
    assert {"a", "a.b", "json", "string"} <= set(found["a.b"]["loaded"])

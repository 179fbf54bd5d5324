"""The program that resolves in a container, run here with a stand-in for pip-tools: questions in, answers out."""

from __future__ import annotations

import base64
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from imgcheck.locking import inside
from tests.wheels import make_wheel

PIPTOOLS = """
import sys, time
arguments = sys.argv[1:]
output = arguments[arguments.index("--output-file") + 1]
asked = open(arguments[1]).read()
print("asked for " + asked.strip(), flush=True)
if "slow" in asked:
    time.sleep(60)
if "impossible" in asked:
    sys.exit(1)
try:
    before = open(output).read()
except FileNotFoundError:
    before = ""
open(output, "w").write(before + asked)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {"piptools/__init__.py": "", "piptools/__main__.py": "import piptools.main\n", "piptools/main.py": PIPTOOLS}
    make_wheel(tmp_path / "tools", "piptools 1.0", files=files)
    tags = "def sys_tags():\n    yield 'cp311-cp311-linux_x86_64'\n"
    make_wheel(tmp_path / "tools", "packaging 1.0", files={"packaging/__init__.py": "", "packaging/tags.py": tags})
    return tmp_path


def told(folder: Path, *questions: str, seconds: float | None = None, seed: str = "") -> list[dict[str, Any]]:
    request: dict[str, Any] = {
        "secret": "s",
        "folder": str(folder),
        "scratch": str(folder / "scratch"),
        "memory": str(folder / "memory"),
        "resolver": "pip-tools",
        "environment": {},
        "stubs": [{"name": "torch", "version": "2.6.0a0+vendor", "metadata": "Name: torch\n"}],
        "seconds": seconds,
    }
    asked = [{"texts": {"sub/r.in": text}, "arguments": ["sub/r.in"], "seed": seed} for text in questions]
    (folder / "scratch").mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, str(Path(inside.__file__))],
        input="".join(f"{json.dumps(line)}\n" for line in (request, *asked)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert {line.pop("secret") for line in lines} == {"s"}
    return lines


def of_kind(lines: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [line for line in lines if line["kind"] == kind]


def test_questions_are_answered_one_after_the_other(folder: Path) -> None:
    lines = told(folder, "six\n", "impossible\n", "seven\n", seed="torch==2\n")
    ends = of_kind(lines, "end")
    assert [(one["status"], one["text"]) for one in ends] == [
        (0, "torch==2\nsix\n"),
        (1, ""),
        (0, "torch==2\nseven\n"),
    ]
    assert [one["line"] for one in of_kind(lines, "log")] == [
        "asked for six",
        "asked for impossible",
        "asked for seven",
    ]


def test_what_the_base_has_stands_in_as_a_wheel(folder: Path) -> None:
    (end,) = of_kind(told(folder, "six\n"), "end")
    (stub,) = (folder / "scratch" / "stubs").iterdir()
    assert stub.name == "torch-2.6.0a0+vendor-999999999-cp311-cp311-linux_x86_64.whl"
    assert len(end["digests"]) == 1


def test_a_resolver_that_takes_too_long_is_ended(folder: Path) -> None:
    lines = told(folder, "slow\n", "six\n", seconds=1.5)
    assert [one["kind"] for one in lines] == ["log", "late"]


def test_byte_code_is_told_once_and_taken_the_next_time(folder: Path) -> None:
    (archive,) = of_kind(told(folder, "six\n", "seven\n"), "compiled")
    content = base64.b64decode(archive["archive"])
    assert any("piptools" in name for name in zipfile.ZipFile(io.BytesIO(content)).namelist())
    (folder / "compiled.zip").write_bytes(content)
    for left in ("scratch", "memory"):
        (folder / left).rename(folder / f"{left}-before")
    assert not of_kind(told(folder, "six\n"), "compiled")

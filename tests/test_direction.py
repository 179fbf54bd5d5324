"""The one direction of the data, held by reading every import."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import imgcheck

ROOT = Path(imgcheck.__file__).parent
EDGES = ("engines", "process", "build", "facts.collect", "facts.cache", "collector", "progress", "pipeline", "cli")
# package -> what it must not import: a later stage never calls an earlier one, and the pure ones touch no edge
FORBIDDEN = {
    "outcome": ("contract", "facts", "checks", "report", *EDGES),
    "errors": ("outcome", "contract", "facts", "checks", "report", *EDGES),
    "contract": ("checks", "report", *EDGES),
    "constraints": ("checks", "report", *EDGES),
    "checks": ("report", *EDGES),
    "diagnosis": ("report", *EDGES),
    "judging": ("report", *EDGES),
    "report": ("contract", "facts", "checks", *EDGES),
    "facts": ("checks", "report", "build", "pipeline", "cli"),
    "engines": ("contract", "checks", "report", "build", "pipeline", "cli"),
    "build": ("checks", "report", "pipeline", "cli"),
    "pipeline": ("cli",),
}
FORBIDDEN["report"] = tuple(one for one in FORBIDDEN["report"] if one != "facts")
ONLY_IN = {"docker": "engines", "rich": "report", "subprocess": "process", "typer": "cli"}


def modules_imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def sources(package: str) -> list[Path]:
    single = ROOT / f"{package}.py"
    return [single] if single.exists() else sorted((ROOT / package).rglob("*.py"))


@pytest.mark.parametrize("package", FORBIDDEN)
def test_no_stage_calls_an_earlier_one(package: str) -> None:
    assert sources(package)
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sources(package)
        for name in modules_imported(path)
        for one in FORBIDDEN[package]
        if name == f"imgcheck.{one}" or name.startswith(f"imgcheck.{one}.")
    ]
    assert not wrong


def test_the_collector_needs_the_standard_library_alone() -> None:
    allowed = set(sys.stdlib_module_names)
    wrong = [
        f"{path.name} imports {name}"
        for path in sources("collector")
        for name in modules_imported(path)
        if name.split(".")[0] not in allowed and not name.startswith("imgcheck.collector")
    ]
    assert not wrong

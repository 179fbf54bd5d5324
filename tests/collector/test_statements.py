"""Import statements that nothing provides, read from sources of a folder on sys.path."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from imgcheck.collector.statements import SITES, unprovided_imports
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from tests.local_engine import LocalEngine, an_image


def read(site: Path, *sources: str, path: tuple[str, ...] = (), group: str = "module") -> list[dict[str, Any]]:
    modules = []
    for number, source in enumerate(sources):
        file = site / "pkg" / f"m{number}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(source, "utf-8")
        modules.append({"module": f"pkg.m{number}", "path": str(file), "distribution": "pkg", "group": group})
    found: list[dict[str, Any]] = []
    summary = unprovided_imports(modules, [str(site), *path], (*sys.builtin_module_names, "os"), found.append)
    assert summary["read"] == len(sources)
    return found


ALWAYS = {
    "import": "import boto3",
    "dotted": "import boto3.session as s",
    "from": "from boto3.x import y",
    "second of a line": "import os, boto3",
    "after a docstring": '"""import os\nimport sys\n"""\nimport boto3',
    "after a harmless condition": "import os\nif os.name:\n    x = 1\nimport boto3",
    "after a function that raises": "def f():\n    raise ValueError\nimport boto3",
}


@pytest.mark.parametrize("source", ALWAYS.values(), ids=ALWAYS)
def test_a_statement_that_always_runs_is_told(tmp_path: Path, source: str) -> None:
    (facts,) = read(tmp_path, source)
    assert (facts["distribution"], facts["name"], facts["group"]) == ("pkg", "boto3", "module")
    (site,) = facts["sites"]
    assert site == {"module": "pkg.m0", "file": str(tmp_path / "pkg/m0.py"), "line": len(source.split("\n"))}


NEVER = {
    "provided by the path": "import pkg",
    "provided by Python": "import os, sys",
    "relative": "from . import boto3\nfrom .boto3 import x",
    "tried": "try:\n    import boto3\nexcept ImportError:\n    boto3 = None",
    "tried on one line": "try: import boto3\nexcept ImportError: pass",
    "for type checkers": "if TYPE_CHECKING:\n    import boto3",
    "for a platform": "import sys\nif sys.platform == 'win32':\n    import boto3",
    "in a function": "def f():\n    import boto3",
    "in a string": "'''\nimport boto3\n'''",
    "after the module may refuse": "import os\nif os.name:\n    raise ImportError('Windows only')\nimport boto3",
    "after a try that raises": "try:\n    import boto3\nexcept ImportError:\n    raise ValueError\nimport boto3",
    "after it may exit": "import sys\nif 1:\n    sys.exit()\nimport boto3",
    "beside it": "import m0",
    "no Python": "import boto3\nprint 'x'",
}


@pytest.mark.parametrize("source", NEVER.values(), ids=NEVER)
def test_a_statement_that_may_not_run_or_is_provided_is_not_told(tmp_path: Path, source: str) -> None:
    assert read(tmp_path, source) == []


def test_a_few_places_of_each_name_are_told(tmp_path: Path) -> None:
    (facts,) = read(tmp_path, *["import boto3"] * (SITES + 2))
    assert len(facts["sites"]) == SITES


def test_names_in_a_zip_of_the_path_are_provided(tmp_path: Path) -> None:
    archive = tmp_path / "lib.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("boto3/__init__.py", "")
    assert read(tmp_path, "import boto3", path=(str(archive),)) == []


def test_the_real_collector_reads_this_environment(tmp_path: Path) -> None:
    collector = Collector(engine=LocalEngine(sys.executable), cache=FactsCache(folder=tmp_path))
    facts = collector.statements(an_image())
    assert facts.read > 100
    assert not any(one.distribution == "packaging" and one.group == "module" for one in facts.unprovided)

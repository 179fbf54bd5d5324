from __future__ import annotations

import importlib.metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from imgcheck.collector.distributions import find_distributions
from imgcheck.collector.files import look_at_files
from imgcheck.collector.modules import enumerate_modules

REQUIRES = """\
numpy>=1.20
typing-extensions

[:python_version < "3.8"]
importlib-metadata

[plot]
matplotlib

[plot:sys_platform == "linux"]
pillow
"""


@pytest.fixture
def egg(tmp_path: Path) -> Path:
    """As `setup.py install` leaves it: a folder of its own, which easy-install.pth puts on sys.path."""
    root = tmp_path / "site-packages" / "apex-0.1-py3.11-linux-x86_64.egg"
    files = {
        "EGG-INFO/PKG-INFO": "Metadata-Version: 2.1\nName: apex\nVersion: 0.1\n",
        "EGG-INFO/SOURCES.txt": "setup.py\napex/__init__.py\n",
        "EGG-INFO/top_level.txt": "apex\n",
        "EGG-INFO/requires.txt": REQUIRES,
        "EGG-INFO/entry_points.txt": "[console_scripts]\napex = apex.run:main\n",
        "EGG-INFO/not-zip-safe": "\n",
        "apex/__init__.py": "",
        "apex/run.py": "def main(): ...\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root.parent / "easy-install.pth").write_text(f"./{root.name}\n")
    return root


def test_an_egg_folder_is_a_distribution(egg: Path) -> None:
    (found,) = find_distributions([str(egg.parent), str(egg)])
    assert (found["name"], found["version"], found["kind"], found["location"]) == ("apex", "0.1", "egg-info", str(egg))
    assert found["problem"] == ""
    assert found["entry_points"] == [{"group": "console_scripts", "name": "apex", "value": "apex.run:main"}]


def test_what_an_egg_requires_is_what_importlib_reads(egg: Path) -> None:
    (found,) = find_distributions([str(egg)])
    (known,) = importlib.metadata.distributions(path=[str(egg)])
    assert [str(Requirement(one)) for one in found["requires_dist"]] == [
        str(Requirement(one)) for one in known.requires or ()
    ]
    assert len(found["requires_dist"]) == 5


def test_the_files_of_an_egg_are_its_own(egg: Path) -> None:
    path = [str(egg.parent), str(egg)]
    distributions = find_distributions(path)
    modules = enumerate_modules(distributions, path, [".so"])
    assert [(one["module"], one["distribution"]) for one in modules] == [("apex", "apex"), ("apex.run", "apex")]
    told: list[tuple[str, Any]] = []
    interpreter = {"path": path, "extension_suffixes": [".so"], "prefix": str(egg.parent), "base_prefix": "/usr"}
    look_at_files(interpreter, distributions, lambda kind, facts: told.append((kind, facts)), deep=True)
    assert not [facts for kind, facts in told if kind == "unowned"]
    assert [facts["missing_count"] for kind, facts in told if kind == "owner"] == [0]


def test_folded_headers_may_hold_lines_of_spaces(tmp_path: Path) -> None:
    """As a licence's text in METADATA: its empty lines do not end the headers."""
    metadata = tmp_path / "jupyter_events-0.12.1.dist-info"
    metadata.mkdir()
    lines = ["Name: jupyter-events", "Version: 0.12.1", "License: BSD", "        ", "        All rights.", ""]
    (metadata / "METADATA").write_text(
        "\n".join([*lines[:-1], "Requires-Dist: click; extra == 'cli'", "", "Name: no\n"])
    )
    (found,) = find_distributions([str(tmp_path)])
    assert found["requires_dist"] == ["click; extra == 'cli'"]
    assert found["name"] == "jupyter-events"

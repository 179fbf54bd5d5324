from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from imgcheck.collector.job_imports import with_source
from imgcheck.collector.locations import Locations

ARGUMENTS = "import argparse\nargs = argparse.ArgumentParser().parse_args()\n"
FLAG = "import sys\nDEBUG = '--debug' in sys.argv\n"


@pytest.mark.parametrize(
    ("file", "text", "status", "told"),
    [
        pytest.param("lib/run.py", ARGUMENTS, "exit", True, id="a script that exits"),
        pytest.param("lib/run.py", ARGUMENTS, "timeout", True, id="one that hangs"),
        pytest.param("lib/run.py", FLAG, "exit", True, id="one that looks by hand"),
        pytest.param("lib/run.py", FLAG, "timeout", False, id="a library with a flag that hangs"),
        pytest.param("lib/run.py", ARGUMENTS, "signal", False, id="a crash is a crash"),
        pytest.param("lib/__init__.py", ARGUMENTS, "exit", False, id="a package, on which others hang"),
    ],
)
def test_which_failures_are_a_scripts(tmp_path: Path, file: str, text: str, status: str, *, told: bool) -> None:
    path = tmp_path / file
    path.parent.mkdir()
    path.write_text(text)
    facts: dict[str, Any] = {"module": "lib.run", "path": str(path), "status": status, "error": None, "file": None}
    found = with_source({**facts, "inherited_from": None}, Locations([str(tmp_path)]))
    assert found["reads_arguments"] is told

"""The collector's floor: Python 3.8, told by vermin from its sources."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import imgcheck.collector


def test_the_collector_needs_nothing_newer_than_python_3_8() -> None:
    folder = Path(imgcheck.collector.__file__).parent
    done = subprocess.run(
        [str(Path(sys.executable).with_name("vermin")), "--target=3.8-", "--no-tips", "--violations", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "Minimum required versions: 3.8" in done.stdout

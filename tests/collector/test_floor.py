"""The floor of what runs inside images: Python 3.8, told by vermin from the sources."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import imgcheck.collector

COLLECTOR = Path(imgcheck.collector.__file__).parent


@pytest.mark.parametrize("sources", [COLLECTOR, COLLECTOR.parent / "locking/inside.py"], ids=["collector", "resolver"])
def test_what_runs_inside_images_needs_nothing_newer_than_python_3_8(sources: Path) -> None:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("vermin")), "--target=3.8-", "--no-tips", "--violations", str(sources)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "Minimum required versions: 3." in done.stdout

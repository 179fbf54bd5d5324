"""Somebody else kills, removes or pauses the container, or its memory ends."""

from __future__ import annotations

import json
import time

import pytest

from tests.faults.conftest import BuildImage, PlaceFor, archive
from tests.faults.harness import PHASES, docker
from tests.faults.table import CONTAINER, rows
from tests.faults.telling import as_told

pytestmark = pytest.mark.engine


@pytest.mark.parametrize(
    ("name", "commands"),
    [
        ("killed", ["kill"]),
        ("removed", ["rm -f"]),
        ("paused", ["pause"]),
        ("paused for a moment", ["pause", "unpause"]),
        ("killed, of a probe", ["kill"]),
    ],
)
def test_a_container_that_is_disturbed(name: str, commands: list[str], place_for: PlaceFor) -> None:
    (fault,) = (one for one in CONTAINER if one.name == name)
    place = place_for()
    running = place.start(place.check()).until(PHASES[fault.phase])
    container = running.container()
    time.sleep(0.3)
    for command in commands:
        docker(*command.split(), container)
        time.sleep(1.5 if len(commands) > 1 else 0)
    ran = running.ended()
    as_told(fault, ran)
    states = {one["name"]: one["state"] for one in json.loads(place.report.read_text())["checks"]}
    if ran.code:
        assert "error" in states.values()
        assert states["missing-file"] == "kept"
    assert ran.left == ()


@pytest.fixture(scope="module")
def hungry(build_image: BuildImage, bare: str) -> str:
    files = {
        "hungry/__init__.py": "data = []\nwhile True:\n    data.append(bytearray(1 << 20))\n",
        "hungry-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: hungry\nVersion: 1.0\n",
        "hungry-1.0.dist-info/RECORD": "hungry/__init__.py,,\nhungry-1.0.dist-info/METADATA,,\n"
        "hungry-1.0.dist-info/RECORD,,\n",
    }
    content = archive({f"usr/lib/python3/dist-packages/{name}": text for name, text in files.items()})
    return build_image(f"FROM {bare}\nADD site.tar /\n", **{"site.tar": content})


def test_a_module_that_fills_memory_is_not_imported(place_for: PlaceFor, hungry: str) -> None:
    (fault,) = rows(CONTAINER, "out of memory in an import")
    place = place_for(hungry, "imgcheck: 1\nimports: true\nruntime: {memory: 128MiB}\n")
    ran = place.run(place.check())
    as_told(fault, ran)
    assert ran.left == ()


def test_a_program_that_fills_memory_has_not_started(place_for: PlaceFor, slow: str) -> None:
    (fault,) = rows(CONTAINER, "out of memory in a probe")
    program = "data = [bytearray(1 << 28) for _ in range(9)]; print('ready')"
    probe = f'{{name: hungry, run: ["{{python}}", -c, "{program}"], output: ready}}'
    place = place_for(slow, f"imgcheck: 1\nimports: true\nprobes: [{probe}]\nruntime: {{memory: 128MiB}}\n")
    ran = place.run(place.check())
    as_told(fault, ran)
    assert ran.left == ()

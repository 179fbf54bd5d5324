"""A real dockerd is stopped in each phase, and started again. It takes a minute or two, so only --run-large does it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.faults.conftest import PlaceFor
from tests.faults.harness import ENGINE, PHASES, build_of
from tests.faults.second_engine import SecondEngine, possible
from tests.faults.table import AWAY_IN, Fault, rows
from tests.faults.telling import as_told, ids

pytestmark = [
    pytest.mark.engine,
    pytest.mark.large,
    pytest.mark.skipif(not possible(), reason="a second dockerd is started by root"),
]


@pytest.fixture(scope="module")
def second(slow: str, bare: str) -> Iterator[SecondEngine]:
    with TemporaryDirectory(dir="/var/tmp", ignore_cleanup_errors=True) as folder:
        engine = SecondEngine(Path(folder))
        engine.make_bridge()
        try:
            engine.start()
            command = f"docker -H {ENGINE} save {slow} {bare} | docker -H {engine.host} load"
            subprocess.run(["sh", "-c", command], check=True, capture_output=True)
            yield engine
        finally:
            engine.stop()
            engine.remove_bridge()


@pytest.mark.parametrize("fault", rows(AWAY_IN, "dockerd"), ids=ids)
def test_an_engine_that_is_stopped_is_worth_a_retry(
    fault: Fault, second: SecondEngine, place_for: PlaceFor, slow: str
) -> None:
    place = place_for()
    place.host = place.engine = second.host
    running = place.start(build_of(place, slow, 5) if fault.phase.startswith("build") else place.check())
    running.until(PHASES.get(fault.phase, "RUN sleep"))
    if fault.phase in {"import", "probe"}:
        running.container()
    second.stop()
    try:
        code = running.process.wait(90)
    finally:
        second.start()
    ran = running.ended()
    assert ran.code == code
    as_told(fault, ran)
    place.clean()
    assert place.left(running.process.pid) == ()
    assert place.run(place.check()).code == 0  # the same again, as a scheduler does

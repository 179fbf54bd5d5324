"""imgcheck ended by a signal, at moments that chance chose once."""

from __future__ import annotations

import random
import signal
import time
from typing import Final

import pytest

from tests.faults.conftest import PlaceFor
from tests.faults.harness import PHASES, build_of, dangling, is_whole_or_absent, verdicts
from tests.faults.table import KILLED
from tests.faults.telling import as_told

pytestmark = pytest.mark.engine
SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)
CHANCE: Final = random.Random(20)
MOMENTS: Final = [
    (phase, SIGNALS[(index + turn) % 3], round(CHANCE.uniform(0, 0.05 if phase == "report" else 1.0), 3))
    for turn in range(4)
    for index, phase in enumerate(PHASES)
]


@pytest.mark.parametrize(("phase", "number", "after"), MOMENTS)
def test_a_run_that_is_ended_leaves_nothing(
    phase: str, number: signal.Signals, after: float, place_for: PlaceFor, slow: str
) -> None:
    place, before = place_for(), dangling()
    running = place.start(build_of(place, slow, 1) if phase == "build" else place.check())
    running.until(PHASES[phase])
    time.sleep(after)
    ran = running.send(number).ended()
    (fault,) = (one for one in KILLED if (f"SIG{one.name}", one.phase) == (number.name, phase))
    as_told(fault, ran)
    assert is_whole_or_absent(place.report)
    if ran.code >= 0 and ran.code != 130:  # it was over before
        assert verdicts(place.report)
    if number is signal.SIGKILL:
        place.clean()
        time.sleep(0.5)
        assert place.left(running.process.pid) == ()
    else:
        assert ran.left == (), ran.err
        assert ran.code != 130 or "interrupted; everything it made was removed" in ran.err
    assert dangling() <= before

"""The engine goes away, waits, fails and cuts: through a socket that does."""

from __future__ import annotations

import json

import pytest

from tests.faults.conftest import PlaceFor
from tests.faults.harness import PHASES, Place, Running, build_of, verdicts
from tests.faults.proxy import Proxy, Trouble
from tests.faults.table import API, AWAY_IN, Fault, rows
from tests.faults.telling import as_told, ids

pytestmark = pytest.mark.engine


@pytest.fixture
def place(place_for: PlaceFor, proxy: Proxy) -> Place:
    made = place_for()
    made.host = proxy.host
    return made


@pytest.fixture(scope="module")
def alone(place_for_module: Place) -> list[tuple[str, str, int, int]]:
    """What a run says that nothing troubles."""
    ran = place_for_module.run(place_for_module.check())
    assert ran.code == 0, ran.err + ran.out
    return verdicts(place_for_module.report)


def begun(place: Place, phase: str, slow: str) -> Running:
    running = place.start(build_of(place, slow, 3) if phase.startswith("build") else place.check())
    return running.until(PHASES.get(phase, "RUN sleep"))


@pytest.mark.parametrize("fault", rows(AWAY_IN, "a proxy"), ids=ids)
def test_an_engine_that_goes_away_is_worth_a_retry(fault: Fault, place: Place, proxy: Proxy, slow: str) -> None:
    running = begun(place, fault.phase, slow)
    if fault.phase in {"import", "probe"}:
        running.container()
    proxy.go()
    ran = running.ended()
    as_told(fault, ran)
    assert not place.report.exists() or ran.code == 0
    assert not ran.left or "imgcheck clean does, when it answers again" in ran.err
    proxy.come()
    place.clean()
    assert place.left(running.process.pid) == ()


PATTERNS = {
    "GET /images": r"GET \S*/images/[^ ]*/json",
    "GET /containers": r"GET \S*/containers/\w+/archive",
    "DELETE /containers": "DELETE ",
    "POST /containers/create": r"POST \S*/containers/create",
    "PUT /containers": "PUT ",
    "POST /containers/attach": r"POST \S*/attach",
    "POST /containers/start": r"POST \S*/start",
}


@pytest.mark.parametrize("fault", [one for one in API if "once with 500" in one.name], ids=ids)
def test_a_fault_of_a_moment_is_passed_over_where_that_is_safe(fault: Fault, place: Place, proxy: Proxy) -> None:
    proxy.trouble = Trouble(PATTERNS[fault.name.partition(" fails")[0]], status_500=1)
    ran = place.run(place.check("--select", "moved-pin,missing-file"))
    assert proxy.trouble.met >= 1
    as_told(fault, ran)
    assert ran.left == ()


def test_an_engine_that_always_fails_is_told(place: Place, proxy: Proxy) -> None:
    proxy.trouble = Trouble(PATTERNS["GET /images"], status_500=99)
    ran = place.run(place.check())
    as_told(rows(API, "each GET of an image")[0], ran)
    assert ran.left == ()


def test_a_slow_engine_gives_the_same(place: Place, proxy: Proxy, alone: list[tuple[str, str, int, int]]) -> None:
    proxy.delay = 0.15
    ran = place.run(place.check())
    as_told(rows(API, "answers slowly")[0], ran)
    assert (verdicts(place.report), ran.left) == (alone, ())


CUTS = {"at once": 0, "in a frame's header": 4, "in the middle of an answer": 60}


@pytest.mark.parametrize("where", CUTS)
def test_half_an_answer_is_no_fact(where: str, place: Place, proxy: Proxy) -> None:
    running = place.start(place.check()).until("Comparing the files")
    proxy.trouble = Trouble(r"POST \S*/attach", cut_after=CUTS[where])
    ran = running.ended()
    assert proxy.trouble.met >= 1
    as_told(rows(API, f"cuts the stream of a container {where}")[0], ran)
    assert ran.left == ()


def test_an_answer_that_is_cut_is_asked_for_again(place: Place, proxy: Proxy) -> None:
    proxy.trouble = Trouble(PATTERNS["GET /images"], cut_after=400)
    ran = place.run(place.check("--select", "moved-pin,missing-file"))
    as_told(rows(API, "cuts an answer")[0], ran)
    assert ran.left == ()
    assert ran.code != 0 or json.loads(place.report.read_text())["image"]["digest"].startswith("sha256:")

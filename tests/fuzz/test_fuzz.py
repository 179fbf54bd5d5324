"""Every reader on its corpus, then on changed seeds: a result or a refusal, soon, and nothing else."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import CORPUS, TARGETS, changed, execute

KNOWN = sorted(path for path in CORPUS.glob("*/*") if path.is_file())
HOSTILE_BYTES = (
    b"\xff" * 4,
    b"\xff" * 8,
    b"\x00" * 8,
    b"\x7f" + b"\xff" * 7,
    b"\n",
    b"[" * 2000,  # deeper than Python's own limit of recursion
    b'{"a":' * 2000,
    b"\\",
    b"'",
)
EDITS = st.lists(
    st.tuples(
        st.integers(0, 1 << 16),
        st.sampled_from((0, 1, 2, 4, 8, 100_000)),
        st.one_of(st.sampled_from(HOSTILE_BYTES), st.binary(max_size=8)),
    ),
    min_size=1,
    max_size=6,
)
SECONDS = 5.0


@pytest.mark.parametrize("path", KNOWN, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_was_found_once_stays_mended(path: object) -> None:
    assert hasattr(path, "read_bytes")
    execute(path.parent.name, path.read_bytes())  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_read(name: str) -> None:
    for seed in TARGETS[name].seeds:
        TARGETS[name].run(seed)


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(number=st.integers(0, 99), edits=EDITS)
def test_changed_seeds_give_a_result_or_a_refusal(name: str, number: int, edits: list[tuple[int, int, bytes]]) -> None:
    seeds = TARGETS[name].seeds
    began = time.process_time()
    execute(name, changed(seeds[number % len(seeds)], edits))
    assert time.process_time() - began < SECONDS

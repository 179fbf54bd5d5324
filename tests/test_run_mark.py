"""A run is told to be over only where that is certain, or where nothing but its age can be known."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from imgcheck import run_mark
from imgcheck.run_mark import PATIENCE, RunMark, parse_mark, this_run


def test_a_mark_is_read_as_it_was_written() -> None:
    assert parse_mark(str(this_run())) == this_run()


@pytest.mark.parametrize("text", ["", "latest", "1.2.3.4", "0123abcd.1.2", "0123abcd.1.2.3x", "../../etc.1.2.3"])
def test_what_is_no_mark_is_none(text: str) -> None:
    assert parse_mark(text) is None


def test_this_run_is_not_over_however_long_it_takes() -> None:
    assert not this_run().is_over(this_run().begun + 100 * PATIENCE)


def test_a_clock_that_went_back_ends_no_run() -> None:
    assert not this_run().is_over(0)
    assert not RunMark("00000000", 1, 1, this_run().begun).is_over(0)


def test_the_number_of_an_ended_process_may_be_anothers() -> None:
    assert replace(this_run(), ticks=this_run().ticks - 1).is_over(0)


def test_without_the_start_of_a_process_its_number_keeps_it() -> None:
    assert not replace(this_run(), ticks=0).is_over(0)


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def mark_of(pid: int) -> RunMark:
    told = run_mark._started(pid)
    assert told
    return replace(this_run(), pid=pid, ticks=told[1])


def test_a_process_that_was_killed_is_over_before_and_after_it_is_waited_for(child: subprocess.Popen[bytes]) -> None:
    mark = mark_of(child.pid)
    assert not mark.is_over(0)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert mark.is_over(0)
    child.wait()
    assert mark.is_over(0)


def test_another_machines_run_is_given_time() -> None:
    elsewhere = RunMark("00000000", 1, 1, 1_000_000)
    assert not elsewhere.is_over(1_000_000 + PATIENCE)
    assert elsewhere.is_over(1_000_001 + PATIENCE)
    assert elsewhere.is_over(1_000_011, patience=10)

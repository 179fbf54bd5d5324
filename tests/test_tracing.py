from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterator

import pytest

from imgcheck.process import run
from imgcheck.tracing import trace_to


@pytest.fixture
def trace() -> Iterator[io.StringIO]:
    loggers = [logging.getLogger(name) for name in ("imgcheck", "urllib3.connectionpool")]
    kept = [(one, one.handlers, one.level, one.propagate) for one in loggers]
    stream = io.StringIO()
    trace_to(stream)
    yield stream
    for one, handlers, level, propagate in kept:
        one.handlers, one.propagate = handlers, propagate
        one.setLevel(level)


def test_programs_are_told_without_secrets_and_values_of_build_arguments(trace: io.StringIO) -> None:
    run([sys.executable, "-c", "pass", "--build-arg", "INDEX=https://user:word@host", "--password=hush", "a b"])
    (line,) = trace.getvalue().splitlines()
    assert line.endswith("-c pass --build-arg INDEX=*** --password=*** 'a b'")
    assert " ms  $ " in line


def test_requests_to_the_engine_are_told(trace: io.StringIO) -> None:
    logging.getLogger("urllib3.connectionpool").debug('%s "%s" %s', "http://localhost", "GET /version", 200)
    assert trace.getvalue().endswith('http://localhost "GET /version" 200\n')

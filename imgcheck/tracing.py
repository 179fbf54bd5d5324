"""What -vv adds: each program that is started and each request to the engine, as they happen, on standard error."""

from __future__ import annotations

import logging
from typing import Final, TextIO

_LOGGERS: Final = ("imgcheck", "urllib3.connectionpool")  # the second is what docker's client speaks through


def trace_to(stream: TextIO) -> None:
    """Tells from now on, each line with the milliseconds since the start."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(relativeCreated)8.0f ms  %(message)s"))
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.setLevel(logging.DEBUG)
        logger.handlers = [handler]
        logger.propagate = False

"""A container that has fallen silent is ended: what stopped its collector would else stop the run.

The collector gives a sign of life every few seconds, whatever it is busy with.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from imgcheck.engines.engine import Container

SILENCE: Final = 90.0
"""Seconds without a word after which nobody is taken to be there; a busy machine may be late by a few."""
_EVERY: Final = 12
"""How often one looks meanwhile: a look that was late, as this process was stopped itself, then counts for little."""


class Watch:
    """Ends the container, once, where nothing comes for so long; `silent` tells that it did."""

    def __init__(self, container: Container, seconds: float) -> None:
        self._container = container
        self._every = seconds / _EVERY
        self._quiet = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.silent = False

    def begin(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._over.set()
        self._thread.join()

    def heard(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self._quiet = 0
            yield chunk
            self._quiet = 0

    def _look(self) -> None:
        while not self._over.wait(self._every):
            self._quiet += 1
            if self._quiet >= _EVERY:
                self.silent = True
                self._container.stop()
                return


@contextmanager
def watched(container: Container, seconds: float) -> Iterator[Watch]:
    watch = Watch(container, seconds)
    watch.begin()
    try:
        yield watch
    finally:
        watch.end()

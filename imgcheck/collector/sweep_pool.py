"""Workers that share one stack of steps: the newest first, so that few zygotes live at a time."""

from __future__ import annotations

import threading
import time
from typing import Callable, Sequence

Step = Callable[[], None]


class Pool:
    """Steps may add steps; the pool is done when there are none and nobody works on one."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._steps: list[Step] = []
        self._busy = 0
        self._trouble: BaseException | None = None
        self._changed = threading.Condition(threading.RLock())

    @property
    def lock(self) -> threading.Condition:
        return self._changed

    def add(self, step: Step) -> None:
        with self._changed:
            self._steps.append(step)
            self._changed.notify()

    def run(self, meanwhile: Step, every: float) -> None:
        """Works until all is done, calling `meanwhile` now and then. Raises what the first failed step raised."""
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self._workers)]
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads):
                self._wait_for(threads, every)
                meanwhile()
        finally:
            with self._changed:
                self._steps.clear()
        if self._trouble is not None:
            raise self._trouble

    def _wait_for(self, threads: Sequence[threading.Thread], seconds: float) -> None:
        until = time.monotonic() + seconds
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._steps and self._busy:
                    self._changed.wait()
                if not self._steps:
                    return
                step = self._steps.pop()
                self._busy += 1
            try:
                step()
            except BaseException as error:  # handed to the caller of run
                with self._changed:
                    self._trouble = self._trouble or error
                    self._steps.clear()
            finally:
                with self._changed:
                    self._busy -= 1
                    self._changed.notify_all()

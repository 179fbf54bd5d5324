"""Several things of one image at once, each in a container of its own; what fails leaves the others alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from imgcheck.errors import CollectorError, UntoldError
from imgcheck.facts.collect import Collector
from imgcheck.progress import Progress

T = TypeVar("T")


def side_by_side(
    collector: Collector, tasks: Mapping[str, Callable[[], T]], workers: int, progress: Progress
) -> tuple[dict[str, T], list[str]]:
    """The answers by name, and why some could not be had. An interrupt ends all containers."""
    found: dict[str, T] = {}
    reasons: list[str] = []
    with ThreadPoolExecutor(workers) as pool:
        futures = {name: pool.submit(task) for name, task in tasks.items()}
        try:
            for name, future in futures.items():
                try:
                    found[name] = future.result()
                except UntoldError:  # the others cannot be told either
                    raise
                except CollectorError as error:
                    reasons.append(f"{name}: {error.whole}")
                progress.advance(len(found) + len(reasons), len(tasks))
        except BaseException:
            collector.engine.close()  # ends the containers that the pool waits for
            raise
    return found, reasons

"""Self-checks of one image: every entry point of the group, each in a container of its own, side by side."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Final

from imgcheck.contract.model import Contract
from imgcheck.diagnosis.selfchecks import offered
from imgcheck.errors import CollectorError
from imgcheck.facts.collect import Collector
from imgcheck.facts.model import ImageFacts, Inventory
from imgcheck.facts.selfchecks import SelfCheck, SelfCheckFacts
from imgcheck.progress import Progress

_AT_ONCE: Final = 2


def call_selfchecks(
    collector: Collector, image: ImageFacts, contract: Contract, inventory: Inventory, progress: Progress
) -> tuple[SelfCheckFacts | None, list[str]]:
    """What became of them, and why some could not be had; None where there is none and none is required."""
    options = contract.selfcheck_options
    wanted = offered(contract, inventory).chosen
    if options is None or not (wanted or options.required):
        return None, []
    if not wanted:
        return SelfCheckFacts(), []
    called: dict[str, SelfCheck] = {}
    reasons: list[str] = []
    with progress.step(f"Calling {len(wanted)} self-checks of {image.reference}"), ThreadPoolExecutor(_AT_ONCE) as pool:
        futures = {name: pool.submit(collector.selfcheck, image, value, options) for name, value in wanted.items()}
        try:
            for name, future in futures.items():
                try:
                    called[name] = future.result()
                except CollectorError as error:
                    reasons.append(f"{name}: {error.whole}")
                progress.advance(len(called) + len(reasons), len(wanted))
        except BaseException:
            collector.engine.close()  # ends the containers that the pool waits for
            raise
    return SelfCheckFacts(called=called), reasons

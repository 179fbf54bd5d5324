"""Self-checks of one image: every entry point of the group, each in a container of its own, side by side."""

from __future__ import annotations

from functools import partial
from typing import Final

from imgcheck.contract.model import Contract
from imgcheck.diagnosis.selfchecks import offered
from imgcheck.facts.collect import Collector
from imgcheck.facts.model import ImageFacts, Inventory
from imgcheck.facts.selfchecks import SelfCheckFacts
from imgcheck.progress import Progress
from imgcheck.side_by_side import side_by_side

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
    tasks = {name: partial(collector.selfcheck, image, value, options) for name, value in wanted.items()}
    with progress.step(f"Calling {len(wanted)} self-checks of {image.reference}"):
        called, reasons = side_by_side(collector, tasks, _AT_ONCE, progress)
    return SelfCheckFacts(called=called), reasons

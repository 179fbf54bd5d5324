"""Facts of an image as far as the selected checks need them, and why some could not be had."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from imgcheck.checks import Needs
from imgcheck.contract.model import Contract, Probe
from imgcheck.errors import CollectorError
from imgcheck.facts.collect import Collector
from imgcheck.facts.model import Facts, ImageFacts, ImportFacts, ProbeFacts
from imgcheck.progress import Progress

PROBES_AT_ONCE: Final = 4


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """Facts, and for each kind that could not be collected the reason."""

    facts: Facts
    problems: Mapping[Needs, str]


def gather(
    collector: Collector,
    image: ImageFacts,
    contract: Contract,
    needs: frozenset[Needs],
    probes: tuple[Probe, ...],
    progress: Progress,
) -> Gathered:
    """Collects what `needs` names. The inventory is always needed; without it there is nothing to judge.

    Raises:
        CollectorError, UnsuitableImageError: the inventory cannot be had.
    """
    with progress.step(f"Reading what is installed in {image.reference}"):
        inventory = collector.inventory(image)
    problems: dict[Needs, str] = {}
    imports: ImportFacts | None = None
    found: dict[str, ProbeFacts] = {}
    if Needs.IMPORTS in needs:
        try:
            imports = _imports(collector, image, contract, progress)
        except CollectorError as error:
            problems[Needs.IMPORTS] = _told(error)
    if Needs.PROBES in needs:
        found, reasons = _probes(collector, image, probes, progress)
        if reasons:
            problems[Needs.PROBES] = "; ".join(reasons)
    facts = Facts(image=image, inventory=inventory, imports=imports, probes=found)
    return Gathered(facts=facts, problems=problems)


def _imports(collector: Collector, image: ImageFacts, contract: Contract, progress: Progress) -> ImportFacts | None:
    options = contract.import_options
    if options is None:
        return None
    with progress.step(f"Importing every module of {image.reference}"):
        return collector.imports(image, options, progress.advance)


def _probes(
    collector: Collector, image: ImageFacts, probes: tuple[Probe, ...], progress: Progress
) -> tuple[dict[str, ProbeFacts], list[str]]:
    """Probes side by side, each in a container, and so in a network, of its own.

    Servers give up when others take the machine's time, so that what failed in company is tried once more alone.
    """
    names = ", ".join(probe.name for probe in probes)
    with progress.step(f"Starting {names}"):
        found, reasons = _side_by_side(collector, image, probes, progress)
    failed = [probe for probe in probes if probe.name in found and found[probe.name].reached != "done"]
    for probe in failed if len(probes) > 1 else ():
        with progress.step(f"Starting {probe.name} once more, alone"):
            found[probe.name] = collector.probe(image, probe, afresh=True)
    return found, reasons


def _side_by_side(
    collector: Collector, image: ImageFacts, probes: tuple[Probe, ...], progress: Progress
) -> tuple[dict[str, ProbeFacts], list[str]]:
    found: dict[str, ProbeFacts] = {}
    reasons: list[str] = []
    with ThreadPoolExecutor(PROBES_AT_ONCE) as pool:
        futures = {probe.name: pool.submit(collector.probe, image, probe) for probe in probes}
        try:
            for name, future in futures.items():
                try:
                    found[name] = future.result()
                except CollectorError as error:
                    reasons.append(f"{name}: {_told(error)}")
                progress.advance(len(found) + len(reasons), len(probes))
        except BaseException:
            collector.engine.close()  # ends the containers that the pool waits for
            raise
    return found, reasons


def _told(error: CollectorError) -> str:
    return "\n".join(part for part in (error.message, error.remedy, error.details) if part)

"""`build --prove-rebuild`: what the same files give a second time, by a second build or by a fresh resolution alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from imgcheck.build.builder import built
from imgcheck.build.plan import BuildPlan
from imgcheck.engines.docker import DockerEngine
from imgcheck.errors import ImgcheckError
from imgcheck.facts.collect import Collector
from imgcheck.facts.rebuild import RebuildFacts, RebuiltOne
from imgcheck.progress import Progress

Proof = Literal["build", "resolve"]


def built_again(engine: DockerEngine, plan: BuildPlan, collector: Collector, progress: Progress) -> RebuildFacts:
    """What a second build without cache has installed; one that fails hides nothing of the first."""
    again = replace(plan, options=replace(plan.options, no_cache=True))
    try:
        with (
            progress.step("Building once more, without cache"),
            built(engine, again, environment=engine.endpoint.environment, on_line=progress.line) as second,
        ):
            inventory = collector.inventory(second.image)
    except ImgcheckError as error:
        return RebuildFacts(problem=f"the second build could not be had: {error.message}")
    first_of_each = {one.canonical_name: one for one in reversed(inventory.distributions)}
    found = (
        RebuiltOne(name=one.name, version=one.version, record_digest=one.record_digest)
        for one in first_of_each.values()
    )
    return RebuildFacts(distributions=tuple(found))

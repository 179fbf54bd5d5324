"""`imgcheck plan`, in order: what a build will install, read from its files and judged before it is built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from imgcheck.build.installs import PlanSource, read_plan
from imgcheck.build.plan import BuildPlan
from imgcheck.checks import CHECKS, Needs
from imgcheck.contract.model import Contract
from imgcheck.engines.engine import Engine
from imgcheck.errors import ImgcheckError
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.model import Facts, ImageFacts, Inventory
from imgcheck.facts.plan import PlanFacts
from imgcheck.judging import Selection, judge
from imgcheck.locking.attempting import SECONDS, Trial, attempts, is_resolvable, untried
from imgcheck.locking.sources import IndexOptions, settle_sources
from imgcheck.outcome import CheckResult, CheckState, FindingState, Report
from imgcheck.progress import Progress

_OURS = tuple(one for one in CHECKS if one.needs is Needs.PLAN)
_FEW_RETRIES = {"PIP_RETRIES": "1", "UV_HTTP_RETRIES": "1"}
"""A build that cannot be foretold is built all the same: an index that does not answer is not waited for."""
_RESOLVED = next(one for one in _OURS if one.name == "unresolvable-requirement")


def facts_of(plan: BuildPlan, inventory: Inventory, context: Path) -> PlanFacts:
    """What the build's files say.

    Raises:
        UsageError: a requirement file that an install step names cannot be read as one; with file and line.
    """
    env = dict(one.partition("=")[::2] for one in plan.base.env)
    return read_plan(
        PlanSource(
            dockerfile=plan.dockerfile,
            target=plan.target,
            context=context,
            on_base=plan.on_base,
            markers=inventory.interpreter.markers,
            base_env=env,
        )
    )


@dataclass(frozen=True, kw_only=True)
class Resolving:
    """Whether install steps are resolved before a build, and what that may take, in seconds."""

    wanted: bool = True
    seconds: float = SECONDS


def trial_of(
    engine: Engine,
    plan: BuildPlan,
    inventory: Inventory,
    resolving: Resolving,
    tools_folder: Path | None,
    progress: Progress,
    known: FactsCache | None = None,
) -> Trial:
    """Where the build's install steps can be resolved: this machine's pip settings hold there as for a lock.

    Raises:
        UsageError: a CA bundle that pip's settings name cannot be read.
    """
    network = plan.options.network or "bridge"
    sources = settle_sources(IndexOptions())
    return Trial(
        engine=engine,
        base=plan.base,
        inventory=inventory,
        contract=plan.contract,
        constraints=plan.constraints,
        sources=replace(sources, environment={**_FEW_RETRIES, **sources.environment}),
        progress=progress,
        known=known,
        tools_folder=tools_folder,
        network="bridge" if network == "default" else network,
        seconds=resolving.seconds,
    )


def resolved(facts: PlanFacts, contract: Contract, trial: Callable[[], Trial], selection: Selection) -> PlanFacts:
    """The same, with what came of resolving its install steps; as it is where nothing asks for that."""
    wanted = selection.chooses(_RESOLVED) and _RESOLVED.applies(contract)
    if not wanted or not any(map(is_resolvable, facts.installs)):
        return facts
    try:
        found = attempts(trial(), facts.installs)
    except ImgcheckError as error:  # this machine's own settings of pip
        found = untried(facts.installs, error.message)
    return facts.model_copy(update={"attempts": found})


def judge_plan(
    contract: Contract, base: ImageFacts, inventory: Inventory, facts: PlanFacts, selection: Selection
) -> tuple[CheckResult, ...]:
    """The results of the checks that need no image; the others are not spoken of."""
    chosen = tuple(one.code for one in _OURS if selection.chooses(one))
    return judge(
        contract,
        Facts(image=base, inventory=inventory, plan=facts),
        None,
        _OURS,
        selected=Selection(select=chosen) if chosen else Selection(ignore=("IC",)),
        strict_base=False,
        today=date.today(),  # noqa: DTZ011 - a waiver's end date is the owner's local date
    )


def is_hopeless(results: Sequence[CheckResult]) -> bool:
    """Whether the build must fail: a requirement and a pin exclude each other."""
    return any(one.name == _RESOLVED.name and one.state is CheckState.BROKEN for one in results)


def settled_by_build(facts: PlanFacts) -> PlanFacts:
    """The same after a build that ended well: under the constraints it resolved what could not be told before it."""
    return facts.model_copy(update={"attempts": tuple(one for one in facts.attempts if not one.unverified)})


def foretell(results: Sequence[CheckResult], progress: Progress) -> None:
    """Says before a build what will break its contract, minutes before the report does."""
    for one in results:
        for finding in one.findings:
            if finding.state is FindingState.BROKEN:
                progress.note(f"{one.code} {one.name}: {finding.fault.summary}")


def report_of(
    contract: Contract, base: ImageFacts, facts: PlanFacts, results: tuple[CheckResult, ...], *, strict: bool
) -> Report:
    """The report of a plan: its image is the Dockerfile."""
    return Report(
        image=facts.dockerfile,
        digest="",
        contract=contract.path,
        contract_digest=contract.digest,
        base=base.reference,
        base_digest=base.digest,
        results=results,
        strict=strict,
    )

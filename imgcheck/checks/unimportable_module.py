"""IC301: a module of an installed distribution raises an exception when it is imported. One fault a root cause."""

from __future__ import annotations

from collections import Counter

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract, Imports
from imgcheck.diagnosis.causes import Cause, causes_of
from imgcheck.diagnosis.driverless import beyond_driver, driver_functions, told_by_stand_in
from imgcheck.diagnosis.missing_promise import absent_modules
from imgcheck.diagnosis.reasons import PASSED_OVER, VENDORED
from imgcheck.diagnosis.severity import Severity, severity_of
from imgcheck.diagnosis.sweep import Verdicts, verdicts_of
from imgcheck.diagnosis.wording import first_line, promise_of, remedy_of, summary_of, traceback_of
from imgcheck.diagnosis.world import World, world_of
from imgcheck.facts.model import Facts
from imgcheck.outcome import Fault, Judgement


def judge(contract: Contract, facts: Facts) -> Judgement:
    if facts.imports is None:
        return Judgement(examined=0, unit="modules")
    options = contract.import_options or Imports()
    verdicts, world = verdicts_of(contract, facts), world_of(facts)
    causes = beyond_driver(causes_of(world, verdicts, options), contract, facts, world)
    severities = [(cause, severity_of(cause, options)) for cause in causes]
    over = [cause for cause, severity in severities if severity is Severity.PASSED_OVER]
    judged = [pair for pair in severities if pair[1] is not Severity.PASSED_OVER]
    return Judgement(
        examined=_told(verdicts) - sum(len(cause.failures) for cause in over),
        unit="modules",
        faults=(*absent_modules(contract, verdicts), *(_fault(facts, world, *pair) for pair in judged)),
        passed_over=_passed_over(facts, verdicts, over),
    )


def _fault(facts: Facts, world: World, cause: Cause, severity: Severity) -> Fault:
    error = cause.diagnosis.error
    return Fault(
        subject=cause.subject,
        summary=summary_of(world, cause),
        expected=promise_of(world, cause),
        actual="; ".join(filter(None, (first_line(error), told_by_stand_in(cause, facts)))),
        remedy=remedy_of(world, cause),
        evidence="\n".join(filter(None, (traceback_of(cause), driver_functions(cause, facts)))),
        details=cause.modules if len(cause.modules) > 1 else (),
        identity=cause.identity,
        unverified=severity is Severity.UNVERIFIED,
        note=severity is Severity.NOTE,
    )


def _told(verdicts: Verdicts) -> int:
    """Modules that were imported or raised; other endings are told by their own checks."""
    return sum(verdicts.root_of(one).status in ("ok", "exception") for one in verdicts.modules.values())


def _passed_over(facts: Facts, verdicts: Verdicts, causes: list[Cause]) -> tuple[tuple[str, int], ...]:
    counts: Counter[str] = Counter()
    for cause in causes:
        counts[PASSED_OVER.get(cause.diagnosis.reason, VENDORED)] += len(cause.failures)
    for group, count in facts.imports.left_out.items() if facts.imports else ():
        counts[f"not imported: {group}"] += count
    counts["excluded by the contract"] += verdicts.excluded
    return tuple((reason, count) for reason, count in sorted(counts.items()) if count)


CHECK = Check(
    code="IC301",
    name="unimportable-module",
    summary="A module of an installed distribution cannot be imported",
    needs=Needs.IMPORTS,
    applies=lambda contract: bool(contract.imports),
    judge=judge,
)

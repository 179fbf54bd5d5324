"""Judging: from contract and facts to the result of each check. Pure: no clock, no file, no engine.

Only what the contract's waivers or the base image excuse by name is excused: a fault that groups several subjects stays
broken as soon as one of them is new.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from types import MappingProxyType
from typing import Final

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract, Waiver
from imgcheck.diagnosis.selfchecks import offered
from imgcheck.facts.model import Facts
from imgcheck.outcome import CheckResult, CheckState, Fault, Finding, FindingState, Judgement
from imgcheck.selecting import NOT_ASKED_FOR, NOT_SELECTED, Named, Selection, names
from imgcheck.waivers import MARKS, WaiverCase, covers, judge_waivers

__all__ = ["NOTHING_TO_EXAMINE", "Selection", "judge"]

NOTHING_TO_EXAMINE: Final = "nothing to examine"
_ONLY_WHERE_GIVEN: Final = {
    Needs.PLAN: "no Dockerfile was given to read",
    Needs.REBUILD: "asked for by build --prove-rebuild",
    Needs.OUTSIDE: "asked for by --distrust",
    Needs.SELFCHECKS: "no distribution of the image offers one",
}
_ADDRESS: Final = re.compile(r"\b0x[0-9a-fA-F]+\b")
# Only the names that tempfile and mktemp make up by default: a real name under /tmp must stay part of the fault.
_TEMPORARY: Final = re.compile(r"((?:/var)?/tmp)/tmp(?:[a-z0-9_]{8}|\.[A-Za-z0-9]{10})\b")


@dataclass(frozen=True, kw_only=True)
class _Case:
    """All that a judgement rests on."""

    contract: Contract
    facts: Facts
    baseline: Facts | None
    selected: Selection
    strict_base: bool
    today: date
    problems: Mapping[Needs, str] = field(default_factory=dict)
    untold: Mapping[Needs, str] = field(default_factory=dict)

    def waivers_of(self, check: Named) -> tuple[Waiver, ...]:
        """The waivers in force for this check."""
        return tuple(one for one in self.contract.waivers if one.until >= self.today and names(one.check, check))


def judge(
    contract: Contract,
    facts: Facts,
    baseline: Facts | None,
    checks: Sequence[Check],
    *,
    selected: Selection,
    strict_base: bool,
    today: date,
    problems: Mapping[Needs, str] = MappingProxyType({}),
    untold: Mapping[Needs, str] = MappingProxyType({}),
) -> tuple[CheckResult, ...]:
    """One result for each check, the contract's own included, in the order of codes.

    Args:
        contract: what the image promises.
        facts: what the image contains and does.
        baseline: the base's own facts; a fault that it has too is inherited.
        checks: the registry.
        selected: which of them to make.
        strict_base: nothing is inherited.
        today: the day on which waivers must still be in force.
        problems: why facts could not be collected, or not all; a check that needs them ends in error, or broken.
        untold: why facts cannot be had of what is judged; a check that needs them is not verified.

    Raises:
        UsageError: a selector names no check.
    """
    selected.verify(checks)
    case = _Case(
        contract=contract,
        facts=facts,
        baseline=baseline,
        selected=selected,
        strict_base=strict_base,
        today=today,
        problems=problems,
        untold=untold,
    )
    results = tuple(_result(check, case) for check in checks)
    own = judge_waivers(WaiverCase(contract=contract, results=results, selected=selected, today=today))
    return tuple(sorted((*results, *own), key=lambda result: result.code))


def _result(check: Check, case: _Case) -> CheckResult:
    if not case.selected.chooses(check):
        return _ended(check, CheckState.SKIPPED, NOT_SELECTED)
    if not check.applies(case.contract):
        return _ended(check, CheckState.SKIPPED, NOT_ASKED_FOR)
    problem = case.problems.get(check.needs, "")
    given = _has(case.facts, check.needs) or problem
    if check.needs in _ONLY_WHERE_GIVEN and not given and not _is_offered(check.needs, case):
        return _ended(check, CheckState.SKIPPED, _ONLY_WHERE_GIVEN[check.needs])
    if check.needs in case.untold:
        return _ended(check, CheckState.UNVERIFIED, case.untold[check.needs])
    if not _has(case.facts, check.needs):
        state = CheckState.ERROR if problem else CheckState.UNVERIFIED
        return _ended(check, state, problem or f"no facts on {check.needs.value} were collected")
    judgement = check.judge(case.contract, case.facts)
    in_base = _in_base(check, case) if judgement.faults else {}
    return _judged(check, judgement, tuple(_finding(check, one, case, in_base) for one in judgement.faults), problem)


def _is_offered(needs: Needs, case: _Case) -> bool:
    """Whether the image offers what facts lack: saved facts may have been collected without it."""
    options = case.contract.selfcheck_options
    if needs is not Needs.SELFCHECKS or options is None:
        return False
    return options.required or bool(offered(case.contract, case.facts.inventory).chosen)


def _ended(check: Check, state: CheckState, reason: str) -> CheckResult:
    return CheckResult(code=check.code, name=check.name, summary=check.summary, state=state, reason=reason)


def _has(facts: Facts, needs: Needs) -> bool:
    return {
        Needs.INVENTORY: True,
        Needs.IMAGE: True,
        Needs.IMPORTS: facts.imports is not None,
        Needs.FILES: facts.files is not None,
        Needs.SURROUNDINGS: facts.surroundings is not None,
        Needs.WRITABLE: facts.surroundings is not None,
        Needs.STATEMENTS: facts.statements is not None,
        Needs.TOGETHER: facts.together is not None,
        Needs.RUNS: bool(facts.runs),
        Needs.LOADS: facts.loads is not None,
        Needs.NATIVE: facts.native is not None,
        Needs.OS_PACKAGES: facts.os_packages is not None,
        Needs.TOOLCHAIN: facts.toolchain is not None,
        Needs.KERNELS: facts.kernels is not None,
        Needs.PROBES: bool(facts.probes),
        Needs.SELFCHECKS: facts.selfchecks is not None,
        Needs.PLAN: facts.plan is not None,
        Needs.REBUILD: facts.rebuild is not None,
        Needs.OUTSIDE: facts.outside is not None,
    }[needs]


def _judged(check: Check, judgement: Judgement, findings: tuple[Finding, ...], problem: str) -> CheckResult:
    state, reason = _state(judgement, findings, problem)
    return CheckResult(
        code=check.code,
        name=check.name,
        summary=check.summary,
        state=state,
        examined=judgement.examined,
        unit=judgement.unit,
        findings=findings,
        passed_over=judgement.passed_over,
        reason=reason,
    )


def _state(judgement: Judgement, findings: tuple[Finding, ...], problem: str) -> tuple[CheckState, str]:
    """Facts that are there in part are judged; what is missing makes an error of a pass, and hides no finding."""
    if any(finding.state is FindingState.BROKEN for finding in findings):
        return CheckState.BROKEN, problem
    if problem:
        return CheckState.ERROR, problem
    untold = [finding.fault for finding in findings if finding.state is FindingState.UNVERIFIED]
    if len(untold) == 1:
        return CheckState.UNVERIFIED, f"{untold[0].subject}: {untold[0].actual or untold[0].summary}"
    if untold:
        return CheckState.UNVERIFIED, f"{len(untold):,} subjects could not be told"
    if not judgement.examined:
        return CheckState.UNVERIFIED, NOTHING_TO_EXAMINE
    return CheckState.KEPT, ""


# What the base excuses -----------------------------------------------------------------------------------------------

_Key = tuple[bool, str, str]
_Known = Mapping[_Key, frozenset[str]]


def _in_base(check: Check, case: _Case) -> _Known:
    """The faults of the same check in the base, by each subject, with all that hang on the same cause.

    What the base could not tell excuses nothing.
    """
    base = case.baseline
    if base is None or case.strict_base or not check.inheritable or not _has(base, check.needs):
        return {}
    known: defaultdict[_Key, frozenset[str]] = defaultdict(frozenset)
    for fault in check.judge(case.contract, base).faults:
        if not fault.unverified:
            note, subject, identity = _steady_key(fault)
            together = frozenset({subject, *map(_steady, fault.details)})
            for one in together:
                known[note, one, identity] |= together
    return known


def _steady_key(fault: Fault) -> _Key:
    """A note of the base is the same as a note, and excuses no fault."""
    subject, identity = fault.key
    return (fault.note, _steady(subject), _steady(identity))


def _steady(text: str) -> str:
    """Without what differs between two runs of the same content."""
    return _TEMPORARY.sub(r"\1/…", _ADDRESS.sub("0x…", text))


# From fault to finding -----------------------------------------------------------------------------------------------


def _finding(check: Check, fault: Fault, case: _Case, in_base: _Known) -> Finding:
    state, weighed = _weigh(fault, case.waivers_of(check), in_base)
    if check.needs is Needs.INVENTORY:
        weighed = _with_baseline(weighed, case.baseline)
    excuse = _reason(weighed, case.waivers_of(check)) if state is FindingState.WAIVED else ""
    return Finding(code=check.code, name=check.name, fault=weighed, state=state, excuse=excuse)


def _reason(fault: Fault, waivers: tuple[Waiver, ...]) -> str:
    """Why it is waived, by whom, and until when; each waiver once."""
    covering = [one for one in waivers if any(covers(one, subject) for subject in (fault.subject, *fault.details))]
    return "; ".join(dict.fromkeys(f"{one.reason} ({one.owner}, until {one.until})" for one in covering))


def _weigh(fault: Fault, waivers: tuple[Waiver, ...], in_base: _Known) -> tuple[FindingState, Fault]:
    if fault.unverified:
        return FindingState.UNVERIFIED, fault
    known = in_base.get(_steady_key(fault))
    if fault.note:
        same = known is not None and {_steady(detail) for detail in fault.details} <= known
        return (FindingState.INHERITED if same else FindingState.WARNED), fault
    own = _excuse(fault.subject, waivers, inherited=known is not None)
    details = [
        (one, _excuse(one, waivers, inherited=known is not None and _steady(one) in known)) for one in fault.details
    ]
    excuses = {own, *(excuse for _, excuse in details)}
    if None in excuses:
        return FindingState.BROKEN, replace(fault, details=_new_first(details))
    return (FindingState.WAIVED if FindingState.WAIVED in excuses else FindingState.INHERITED), fault


def _excuse(subject: str, waivers: tuple[Waiver, ...], *, inherited: bool) -> FindingState | None:
    if inherited:
        return FindingState.INHERITED
    return FindingState.WAIVED if any(covers(waiver, subject) for waiver in waivers) else None


def _new_first(details: list[tuple[str, FindingState | None]]) -> tuple[str, ...]:
    new = [detail for detail, excuse in details if excuse is None]
    return (*new, *(detail + MARKS[excuse] for detail, excuse in details if excuse is not None))


def _with_baseline(fault: Fault, baseline: Facts | None) -> Fault:
    """The version that the base has of the distribution that the fault is about."""
    there = baseline.inventory.find(fault.subject) if baseline and not fault.baseline else None
    return replace(fault, baseline=there.version) if there else fault

"""What a waiver covers, and the two checks of the contract's own waivers. They look at the other checks' results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from typing import Final

from imgcheck.contract.model import Contract, Waiver
from imgcheck.outcome import CheckResult, CheckState, Fault, Finding, FindingState
from imgcheck.selecting import (
    CONTRACT_CHECKS,
    EXPIRED_WAIVER,
    NOT_ASKED_FOR,
    NOT_SELECTED,
    UNUSED_WAIVER,
    ContractCheck,
    Named,
    Selection,
    names,
    near_miss,
)

NOTHING_JUDGED: Final = "nothing in the image could be judged"
NONE_TOLD: Final = "the checks that the waivers are for did not all run"
MARKS: Final = {FindingState.INHERITED: " (as in the base image)", FindingState.WAIVED: " (waived)"}


def covers(waiver: Waiver, subject: str) -> bool:
    """Whether the waiver's pattern is the subject's, or that of the first word of "foo.bar: why"."""
    first = subject.split(maxsplit=1)[0].rstrip(":,") if subject.strip() else subject
    return fnmatchcase(subject, waiver.subject) or fnmatchcase(first, waiver.subject)


@dataclass(frozen=True, kw_only=True)
class WaiverCase:
    """The contract whose waivers are judged, and the results of the checks that they are for."""

    contract: Contract
    results: Sequence[CheckResult]
    selected: Selection
    today: date

    @property
    def judged_something(self) -> bool:
        return any(result.state in {CheckState.KEPT, CheckState.BROKEN} for result in self.results)


def judge_waivers(case: WaiverCase) -> tuple[CheckResult, CheckResult]:
    """Expired waivers break the contract; unused ones are warned of."""
    return _expired(case), _unused(case)


def _expired(case: WaiverCase) -> CheckResult:
    waivers = case.contract.waivers
    faults = tuple(_expired_fault(i, case) for i, waiver in enumerate(waivers) if waiver.until < case.today)
    return _result(EXPIRED_WAIVER, case, faults, len(waivers))


def _expired_fault(index: int, case: WaiverCase) -> Fault:
    waiver = case.contract.waivers[index]
    return Fault(
        subject=f"{waiver.check} {waiver.subject}",
        summary=f"The waiver of {waiver.check} for {waiver.subject} ended on {waiver.until}.",
        expected=f"an end date from {case.today} on",
        actual=f"until {waiver.until}",
        remedy=f"Mend what it waives ({waiver.reason}), or have {waiver.owner} set a later date.",
        location=case.contract.where("waivers", str(index)),
        identity=str(waiver.until),
    )


def _unused(case: WaiverCase) -> CheckResult:
    """A waiver whose checks did not all run may still be needed, so nothing is said of it."""
    told = [
        index
        for index, waiver in enumerate(case.contract.waivers)
        if waiver.until >= case.today and all(_told(result) for result in case.results if names(waiver.check, result))
    ]
    faults = tuple(_unused_fault(i, case) for i in told if not _used(case.contract.waivers[i], case.results))
    return _result(UNUSED_WAIVER, case, faults, len(told))


def _told(result: CheckResult) -> bool:
    if result.state is CheckState.SKIPPED:
        return result.reason != NOT_SELECTED
    return bool(result.examined or result.findings)


def _used(waiver: Waiver, results: Sequence[CheckResult]) -> bool:
    faults = (finding.fault for result in results if names(waiver.check, result) for finding in result.findings)
    return any(covers(waiver, subject) for fault in faults for subject in (fault.subject, *_unmarked(fault.details)))


def _unmarked(details: Iterable[str]) -> Iterable[str]:
    for detail in details:
        yield next((detail.removesuffix(mark) for mark in MARKS.values() if detail.endswith(mark)), detail)


def _unused_fault(index: int, case: WaiverCase) -> Fault:
    waiver = case.contract.waivers[index]
    known: tuple[Named, ...] = (*case.results, *CONTRACT_CHECKS)
    exists = any(names(waiver.check, check) for check in known)
    return Fault(
        subject=f"{waiver.check} {waiver.subject}",
        summary=f"The waiver of {waiver.check} for {waiver.subject} matches no finding.",
        actual="no finding" if exists else "no such check",
        remedy="Remove it from the contract." if exists else near_miss(waiver.check, known),
        location=case.contract.where("waivers", str(index)),
        note=True,
    )


def _result(check: ContractCheck, case: WaiverCase, faults: tuple[Fault, ...], examined: int) -> CheckResult:
    reason = _why_skipped(check, case, faults, examined)
    findings = tuple(Finding(code=check.code, name=check.name, fault=one, state=_meaning(one)) for one in faults)
    broken = any(finding.state is FindingState.BROKEN for finding in findings)
    state = CheckState.SKIPPED if reason else CheckState.BROKEN if broken else CheckState.KEPT
    return CheckResult(
        code=check.code,
        name=check.name,
        summary=check.summary,
        state=state,
        examined=0 if reason else examined,
        unit="" if reason else "waivers",
        findings=() if reason else findings,
        reason=reason,
    )


def _why_skipped(check: ContractCheck, case: WaiverCase, faults: tuple[Fault, ...], examined: int) -> str:
    """Sound waivers say nothing of the image: they must not turn a run that judged nothing into a pass."""
    if not case.selected.chooses(check):
        return NOT_SELECTED
    if not case.contract.waivers:
        return NOT_ASKED_FOR
    if not case.judged_something and all(fault.note for fault in faults):
        return NOTHING_JUDGED
    return "" if examined else NONE_TOLD


def _meaning(fault: Fault) -> FindingState:
    return FindingState.WARNED if fault.note else FindingState.BROKEN

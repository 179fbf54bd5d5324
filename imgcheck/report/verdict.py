"""The last line of a report: what the run decided, and what happens because of it. Words for `Report.exit_code`."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from imgcheck.errors import ExitCode
from imgcheck.outcome import CheckState, FindingState, Report
from imgcheck.report.wording import counted


class Verdict(str, Enum):
    """The decision in one word."""

    KEPT = "kept"
    BROKEN = "broken"
    ERROR = "error"
    NOTHING_CHECKED = "nothing checked"


def verdict(report: Report) -> Verdict:
    return {
        ExitCode.KEPT: Verdict.KEPT,
        ExitCode.BROKEN: Verdict.BROKEN,
        ExitCode.CHECK_ERROR: Verdict.ERROR,
        ExitCode.NOTHING_CHECKED: Verdict.NOTHING_CHECKED,
    }[report.exit_code]


def sentence(report: Report) -> str:
    """As in "BROKEN: 3 findings in 2 checks; my/train:1 was not tagged"."""
    decided = verdict(report)
    what = {
        Verdict.KEPT: _kept,
        Verdict.BROKEN: _broken,
        Verdict.ERROR: _error,
        Verdict.NOTHING_CHECKED: _nothing,
    }[decided](report)
    return "; ".join((f"{decided.value.upper()}: {what}", *_reserves(report, decided), *_tags(report)))


def _kept(report: Report) -> str:
    checks = counted(report.checks_by_state[CheckState.KEPT], "checks")
    return ", ".join((checks, *examined(report)))


def examined(report: Report) -> tuple[str, ...]:
    """What the kept checks looked at, each unit once: several checks look at the same modules."""
    most: dict[str, int] = {}
    for result in report.results:
        if result.state is CheckState.KEPT and result.unit:
            most[result.unit] = max(most.get(result.unit, 0), result.examined)
    return tuple(counted(number, unit) for unit, number in sorted(most.items(), key=lambda item: -item[1]))


def _broken(report: Report) -> str:
    findings = report.findings_by_state[FindingState.BROKEN]
    if findings:
        return f"{counted(findings, 'findings')} in {counted(report.checks_by_state[CheckState.BROKEN], 'checks')}"
    return f"{_unverified(report)} unverified, and --strict asks for proof"


def _error(report: Report) -> str:
    return f"{counted(report.checks_by_state[CheckState.ERROR], 'checks')} could not run"


def _nothing(report: Report) -> str:
    skipped = counted(report.checks_by_state[CheckState.SKIPPED], "checks")
    return f"no check could be kept or broken ({skipped} skipped)"


def _reserves(report: Report, decided: Verdict) -> Iterable[str]:
    """What the first words must not hide."""
    states = report.checks_by_state
    if decided is not Verdict.ERROR and states[CheckState.ERROR]:
        yield _error(report)
    told = decided is Verdict.BROKEN and not report.findings_by_state[FindingState.BROKEN]
    if states[CheckState.UNVERIFIED] and not told:
        yield f"{_unverified(report)} unverified"


def _unverified(report: Report) -> str:
    return counted(report.checks_by_state[CheckState.UNVERIFIED], "checks")


def _tags(report: Report) -> Iterable[str]:
    if report.tags:
        tags = ", ".join(report.tags)
        yield f"tagged {tags}" if report.kept else f"{tags} {'were' if len(report.tags) > 1 else 'was'} not tagged"

"""What imgcheck's reports on a case, and on its twin, amount to. Pure functions of values."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import Enum
from fnmatch import fnmatchcase
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from tests.scoreboard.case import Case, Expected, Healthy

Report = dict[str, Any]
"""A report in imgcheck's JSON form."""
Found = dict[str, Any]
"""A finding of one."""
State = Literal["kept", "broken", "error", "not run"]


class Verdict(str, Enum):
    """How a case ends."""

    CAUGHT = "caught"
    ASKED = "caught when asked"
    MISSED = "missed"
    ERROR = "error"
    NOT_RUN = "not run"


class Kept(BaseModel):
    """As docs/scoreboard.json keeps it."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Peers(Kept):
    """What is said of the same image by what everybody has."""

    pip_check: bool
    """`pip check` complains."""
    plain_import: bool
    """`import <top-level name>` fails."""


class CaseOutcome(Kept):
    """What became of a failure."""

    id: str
    kind: str
    title: str
    visible: bool
    small: bool
    verdict: Verdict
    reason: str = ""
    """Why it is missed, or what went wrong."""
    checks: tuple[str, ...] = ()
    """The checks that are broken, the expected ones first."""
    culprit: bool = False
    """The culprit is named, with a way out."""
    missing: tuple[str, ...] = ()
    """The checks that are to say it and do not."""
    asked: tuple[str, ...] = ()
    """The contract lines without which it cannot be told."""
    twin: State = "not run"
    false_alarms: tuple[str, ...] = ()
    peers: Peers | None = None
    seconds: float = 0.0

    @property
    def right(self) -> bool:
        """Caught, and the culprit named."""
        return self.verdict in {Verdict.CAUGHT, Verdict.ASKED} and self.culprit


class HealthyOutcome(Kept):
    """What became of a healthy image."""

    id: str
    title: str
    small: bool
    state: State
    reason: str = ""
    false_alarms: tuple[str, ...] = ()
    modules: int = 0
    """How many were imported."""
    seconds: float = 0.0


def judge_case(
    case: Case, report: Report, twin: Report, peers: Peers, *, known: Collection[str], lacking: Collection[str]
) -> CaseOutcome:
    """What became of a case.

    Args:
        case: what its file says.
        report: imgcheck's report on the image.
        twin: the one on its mended twin.
        peers: what others say of the image.
        known: names of the checks that there are.
        lacking: keys of the contract that the case needs, and that contracts do not have.
    """
    broken = broken_findings(report)
    names = dict.fromkeys(one["name"] for one in broken)
    said = [one for one in broken if _says(one, case.expected)]
    missing = tuple(name for name in case.expected.checks if name not in {one["name"] for one in said})
    return CaseOutcome(
        id=case.id,
        kind=case.kind,
        title=case.title,
        visible=case.visible,
        small=case.small,
        verdict=Verdict.MISSED if missing else Verdict.ASKED if case.asked else Verdict.CAUGHT,
        reason="; ".join([*_reasons(missing, known, lacking, report), *(f"twin: {one}" for one in _errors(twin))]),
        checks=tuple(sorted(names, key=lambda name: name not in case.expected.checks)),
        culprit=any(names_culprit(one, case.expected.culprit) for one in said),
        missing=missing,
        asked=tuple(case.asked),
        twin=state_of(twin),
        false_alarms=alarms_of(twin),
        peers=peers,
        seconds=seconds_of(report),
    )


def judge_healthy(image: Healthy, report: Report) -> HealthyOutcome:
    """What became of a healthy image, by imgcheck's report on it."""
    return HealthyOutcome(
        id=image.id,
        title=image.title,
        small=image.small,
        state=state_of(report),
        reason="; ".join(_errors(report)),
        false_alarms=alarms_of(report),
        modules=max((one["examined"] for one in report["checks"] if one["unit"] == "modules"), default=0),
        seconds=seconds_of(report),
    )


def not_run(case: Case) -> CaseOutcome:
    """A case without a verdict."""
    return CaseOutcome(
        id=case.id,
        kind=case.kind,
        title=case.title,
        visible=case.visible,
        small=case.small,
        verdict=Verdict.NOT_RUN,
    )


def broken_findings(report: Report) -> list[Found]:
    return [one for one in report["findings"] if one["state"] == "broken"]


def alarms_of(report: Report) -> tuple[str, ...]:
    """Each broken finding, in a line."""
    return tuple(f"{one['name']} {one['subject']}: {one['summary']}" for one in broken_findings(report))


def state_of(report: Report) -> State:
    """Whether an image came out as kept. A check that could not run is no pass."""
    if broken_findings(report):
        return "broken"
    kept = any(one["state"] == "kept" for one in report["checks"])
    return "kept" if kept and not _errors(report) else "error"


def seconds_of(report: Report) -> float:
    """What collecting the image's own facts took, now or when they were first collected."""
    own = [float(one["seconds"]) for one in report["sources"] if one["image"] == report["image"]["digest"]]
    return round(sum(own), 1)


def names_culprit(finding: Found, culprit: str) -> bool:
    """Whether a finding names the culprit as a whole word, and a way out."""
    told = [finding[key] for key in ("subject", "summary", "actual", "remedy")]
    told.append(finding["cause"]["requirement"])
    word = "[-_.]+".join(map(re.escape, re.split(r"[-_.]+", culprit)))
    named = re.search(rf"(?<![\w-]){word}(?![\w-])", "\n".join(told), re.IGNORECASE)
    return bool(named and finding["remedy"])


def _says(finding: Found, expected: Expected) -> bool:
    subjects = (finding["subject"], *(one.split(" ")[0] for one in finding["details"]))
    return finding["name"] in expected.checks and any(fnmatchcase(one, expected.subject) for one in subjects)


def _errors(report: Report) -> list[str]:
    return [f"{one['name']}: {one['reason']}" for one in report["checks"] if one["state"] == "error"]


def _reasons(missing: Collection[str], known: Collection[str], lacking: Collection[str], report: Report) -> list[str]:
    states = {one["name"]: one["state"] for one in report["checks"]}
    to_come = [name for name in missing if name not in known]
    parts = [f"{', '.join(to_come)} is to catch it"] if to_come else []
    parts += [f"contracts have no {', '.join(lacking)} yet"] if lacking else []
    silent = [name for name in missing if name in known]
    parts += [f"{name} is {states[name]}" for name in silent if not lacking]
    return parts if missing else []

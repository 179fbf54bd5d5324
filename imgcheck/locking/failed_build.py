"""A build that found no solution under its constraints, explained as a lock is: chains, pins, ways out tried."""

from __future__ import annotations

from collections.abc import Sequence

from imgcheck.build.stages import Dockerfile
from imgcheck.errors import UnresolvableBuildError
from imgcheck.facts.plan import Attempt, Install
from imgcheck.locking.attempting import Trial, attempts


def explained(
    error: UnresolvableBuildError, trial: Trial, dockerfile: Dockerfile, installs: Sequence[Install]
) -> UnresolvableBuildError:
    """The error with ways out; as it was, with the reason, where they could not be looked for."""
    guilty = [one for one in installs if _stands_at(one, error.line, dockerfile)]
    if not guilty:
        return _with_note(error, "the ways out were not looked for: the step's install is not told from the Dockerfile")
    found = attempts(trial, guilty)
    conflicts = [one for one in found if one.message and not one.unverified]
    if conflicts:
        return _retold(error, conflicts)
    untold = next((one.message for one in found if one.unverified), "")
    reason = untold or "resolved here, it has a solution: the build may look in another index"
    return _with_note(error, f"the ways out could not be tried: {reason}")


def _stands_at(install: Install, line: int | None, dockerfile: Dockerfile) -> bool:
    """Whether an install is of the instruction at a line; one inside a script of the context has the script's place."""
    instruction = next(
        (one for one in dockerfile.instructions if line and one.start_line <= line <= one.end_line), None
    )
    if instruction is None or install.place.file != dockerfile.file:
        return False
    return instruction.start_line <= install.place.line <= instruction.end_line


def _retold(error: UnresolvableBuildError, conflicts: Sequence[Attempt]) -> UnresolvableBuildError:
    head = error.message.partition(": ")[0]
    said = "\n  ".join(one.message for one in conflicts)
    ways = [way for one in conflicts for way in one.ways]
    return UnresolvableBuildError(
        f"{head}: there is no solution under the contract\n  {said}",
        line=error.line,
        remedy="\n  → ".join(dict.fromkeys(ways)) or error.remedy,
        details=error.details,
    )


def _with_note(error: UnresolvableBuildError, note: str) -> UnresolvableBuildError:
    remedy = f"{error.remedy}\n  ({note})"
    return UnresolvableBuildError(error.message, line=error.line, remedy=remedy, details=error.details)

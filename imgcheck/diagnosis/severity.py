"""What a failed import means for a contract: settled by its reason, and by what the contract asks for."""

from __future__ import annotations

from enum import Enum

from imgcheck.contract.model import Imports
from imgcheck.diagnosis.causes import Cause
from imgcheck.diagnosis.ownership import PYTHON
from imgcheck.diagnosis.reasons import CANNOT_BE_TOLD, NOTED, PASSED_OVER, Reason


class Severity(str, Enum):
    BROKEN = "broken"
    NOTE = "note"
    UNVERIFIED = "unverified"
    PASSED_OVER = "passed-over"


def severity_of(cause: Cause, options: Imports) -> Severity:
    reason = cause.diagnosis.reason
    if reason in CANNOT_BE_TOLD:
        return Severity.UNVERIFIED
    if options.strict or cause.required:
        return Severity.BROKEN
    aside = not cause.reaches_others
    if reason in PASSED_OVER or (cause.is_vendored and aside):
        return Severity.PASSED_OVER
    return Severity.NOTE if _is_note(cause) else Severity.BROKEN


def _is_note(cause: Cause) -> bool:
    reason = cause.diagnosis.reason
    if reason is Reason.MISSING_LIBRARY and cause.is_lone_extension:
        return True
    if cause.reaches_others:
        return False
    of_python = cause.diagnosis.culprit == PYTHON and cause.is_private_leaf
    return reason in NOTED or cause.is_sideshow or cause.is_adapter or of_python

"""One finding as plain lines, whole and neutralised: what formats without a layout of their own show of it."""

from __future__ import annotations

from collections.abc import Iterator

from imgcheck.outcome import Finding, FindingState
from imgcheck.report.block import block
from imgcheck.report.untrusted import neutral

MEANINGS = {
    FindingState.BROKEN: "breaks the contract",
    FindingState.INHERITED: "the base image has it too",
    FindingState.WAIVED: "waived by the contract",
    FindingState.WARNED: "worth a look, breaks nothing",
    FindingState.UNVERIFIED: "could not be verified",
}


def whole(finding: Finding) -> str:
    """Everything, the title left out."""
    lines = [line.text for line in block(finding, full=True)]
    return "\n".join(line.removeprefix("  ") for line in lines[1:])


def headline(finding: Finding) -> str:
    """As in "moved-pin: protobuf was moved …", in one line."""
    fault = finding.fault
    return neutral(f"{finding.name}: {fault.summary or fault.subject}")


def essence(finding: Finding) -> Iterator[str]:
    """Who did it and the way out, a short line each; for places with little room."""
    fault = finding.fault
    for label, text in (("forced by", fault.cause.requirement), ("step", fault.cause.step), ("fix", fault.remedy)):
        if text:
            yield neutral(f"{label}: {text}")

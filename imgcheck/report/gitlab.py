"""GitLab's Code Quality report: what the merge request widget shows beside the changed lines.

The widget has no word for excused: what is waived is left out, and what the base has too is information.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

from imgcheck.outcome import Finding, FindingState, Report
from imgcheck.report.json import dump
from imgcheck.report.places import main_place
from imgcheck.report.told import essence, headline, whole
from imgcheck.report.untrusted import neutral

_SEVERITIES: Final = {
    FindingState.BROKEN: "major",
    FindingState.WARNED: "minor",
    FindingState.UNVERIFIED: "minor",
    FindingState.INHERITED: "info",
}


def render_gitlab(report: Report) -> str:
    return dump([_issue(report, one) for one in report.findings if one.state in _SEVERITIES])


def _issue(report: Report, finding: Finding) -> dict[str, Any]:
    place = main_place(report, finding)
    return {
        "type": "issue",
        "description": ". ".join((headline(finding).rstrip("."), *essence(finding))),
        "content": {"body": whole(finding)},
        "check_name": f"{finding.code} {finding.name}",
        "fingerprint": hashlib.sha256(finding.id.encode()).hexdigest(),
        "severity": _SEVERITIES[finding.state],
        "categories": ["Compatibility"],
        "location": {"path": neutral(place.path), "lines": {"begin": place.line}},
    }

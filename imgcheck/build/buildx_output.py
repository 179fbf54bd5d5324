"""BuildKit's plain progress, read for the step that failed. Pure text work."""

from __future__ import annotations

import re

from imgcheck.build.bake import DERIVED
from imgcheck.build.failed_step import FailedStep, shortened

_LOG = re.compile(r"#(\d+) (?:\d+\.\d+ )?(.*)")
_STEP_ERROR = re.compile(r"#(\d+) ERROR: (.*)")
_TITLE = re.compile(r"#(\d+) \[([^\]]+)\] (.*)")
_PLACE = re.compile(r"^[^\n]*?[^\s:]:(\d+)\n-{10,}$", re.MULTILINE)
_FINAL = re.compile(r"^(?:ERROR|error): (.*)$", re.MULTILINE)


def read_failure(output: str) -> FailedStep:
    """Finds the failed step in plain progress output."""
    error = next(iter(reversed([*_STEP_ERROR.finditer(output)])), None)
    number = error[1] if error else ""
    titles = [match for match in _TITLE.finditer(output) if match[1] == number]
    lines = [match[2] for match in map(_LOG.fullmatch, output.splitlines()) if match and match[1] == number]
    log = [line for line in lines if not line.startswith(("[", "ERROR: process"))]
    derived = bool(titles) and titles[0][2].startswith(DERIVED)
    place = next(iter(_PLACE.finditer(output)), None)
    finals = _FINAL.findall(output)
    reason = finals[-1] if finals else error[2] if error else (output.strip().splitlines() or ["no reason given"])[-1]
    return FailedStep(
        title=shortened(titles[0][3]) if titles else "",
        log="\n".join(log),
        line=int(place[1]) if place and not derived else None,
        reason=re.sub(r"^(?:target \S+: )?(?:failed to solve: )?", "", reason),
        derived=derived,
    )

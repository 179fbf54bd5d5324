"""What `podman build` wrote, read for the step that failed. Pure text work."""

from __future__ import annotations

import re

from imgcheck.build.derived import CONSTRAINTS_PATH, FILE
from imgcheck.build.failed_step import DID_NOT_COMPLETE, FailedStep, shortened
from imgcheck.build.stages import Dockerfile

_STEP = re.compile(r"^(?:\[(\d+)/\d+\] )?STEP (\d+)/\d+: (.*)$", re.MULTILINE)
_ERROR = re.compile(r"^Error: (?:building at STEP \"(?:.*?)\": )?(.*)$", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"while running runtime: (exit status \d+|signal: .*)")
_HERE_DOCUMENT = "Unknown instruction"


def read_failure(output: str, dockerfile: Dockerfile) -> FailedStep:
    """Finds the failed step: the last that began. The file's line is that of the instruction with its words."""
    steps = [*_STEP.finditer(output)]
    error = next(iter(reversed([*re.finditer(r"^Error: ", output, re.MULTILINE)])), None)
    told = output[error.start() :].strip() if error else ""
    found = _ERROR.fullmatch(told)
    reason = found[1] if found else told or (output.strip().splitlines() or ["no reason given"])[-1]
    if not steps:
        return FailedStep(title="", log="", line=None, reason=reason)
    last = steps[-1]
    log = output[last.end() : error.start() if error else len(output)].strip("\n")
    ended = _EXIT.search(reason)
    if ended:
        reason = f"process {DID_NOT_COMPLETE}: {ended[1]}"
    elif _HERE_DOCUMENT in reason and any(one.heredocs for one in dockerfile.instructions):
        reason = "this Podman does not know here-documents (<<EOF), which came with buildah 1.33"
    derived = f"{FILE} {CONSTRAINTS_PATH}" in output  # of the first of the two calls
    return FailedStep(
        title=shortened(" ".join(last[3].split())),
        log=log,
        line=None if derived else _line(last[3], dockerfile),
        reason=reason,
        derived=derived,
    )


def _line(title: str, dockerfile: Dockerfile) -> int | None:
    """Of the one instruction that reads so; where several do, none is named."""
    wanted = _words(title)
    lines = [one.start_line for one in dockerfile.instructions if _words(f"{one.keyword} {one.value}") == wanted]
    return lines[0] if len(lines) == 1 else None


def _words(text: str) -> list[str]:
    return text.replace("\\\n", " ").split()

"""A traceback as a program printed it: its message, whose code raised it, and the module that was not there.

Source of its form: the traceback module of the standard library.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final

from imgcheck.diagnosis.ownership import PYTHON, owners_of
from imgcheck.diagnosis.requirements import label
from imgcheck.diagnosis.world import likely_distributions
from imgcheck.facts.model import Facts

_FRAME: Final = re.compile(r'^  File "([^"]+)", line \d+', re.MULTILINE)
_MESSAGE: Final = re.compile(r"^\S.*", re.MULTILINE)
_LACKING: Final = re.compile(r"^ModuleNotFoundError: No module named '([\w.]+)'", re.MULTILINE)


def message_of(output: str) -> str:
    """The line below the last traceback, whatever lines the message has more; else the output's last line."""
    frames = list(_FRAME.finditer(output))
    found = _MESSAGE.search(output, frames[-1].end() + 1) if frames else None
    return found[0].strip() if found else output.strip().rpartition("\n")[2]


def raiser_of(output: str, facts: Facts) -> str:
    """Whose the innermost frame of a distribution is, as "scikit-learn 1.3.2"; empty where there is none."""
    owners = owners_of(facts)
    for file in reversed(_FRAME.findall(output)):
        dotted = str(PurePosixPath(file).with_suffix("")).replace("/", ".")  # Cython names files as they were built
        owner = owners.of_file(file) or owners.of_module(dotted)
        found = facts.inventory.find(owner) if owner not in ("", PYTHON) else None
        if found:
            return label(found)
    return ""


def lacking(output: str) -> str:
    """The distribution whose module was looked for first and not found; empty where none was."""
    found = _LACKING.search(output)
    return likely_distributions(found[1].partition(".")[0])[0] if found else ""

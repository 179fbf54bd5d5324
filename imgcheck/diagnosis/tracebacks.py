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

_BEGIN: Final = "Traceback (most recent call last):"
_FRAME: Final = re.compile(r'^  File "([^"]+)", line \d+', re.MULTILINE)
_RAISED: Final = re.compile(r'^  File "[^"]+", line \d+[^\n]*\n +raise\b', re.MULTILINE)
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
        owner = owners.of_file(file) or owners.of_module(_dotted(file))
        found = facts.inventory.find(owner) if owner not in ("", PYTHON) else None
        if found:
            return label(found)
    return ""


def _dotted(file: str) -> str:
    """Cython names files as they were built; links give a prefix several names."""
    below = re.split(r"/(?:site|dist)-packages/", file)[-1]
    return str(PurePosixPath(below).with_suffix("")).replace("/", ".").removesuffix(".__init__")


def is_raised_on_purpose(output: str) -> bool:
    """Whether the innermost frame stands at a `raise`: the program says in its own words what it does not like.

    What led there must be nothing, or a module that is not installed: anything else is a fault behind those words.
    """
    frames = list(_FRAME.finditer(output))
    before = output.split(_BEGIN)[1:-1]
    return bool(frames and _RAISED.match(output, frames[-1].start())) and all(map(_LACKING.search, before))


def lacking(output: str) -> str:
    """The distribution whose module was looked for first and not found; empty where none was."""
    found = _LACKING.search(output)
    return likely_distributions(found[1].partition(".")[0])[0] if found else ""

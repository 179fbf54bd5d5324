"""What holds for every fault."""

from __future__ import annotations

import re
from signal import SIGKILL
from typing import Final

from tests.faults.harness import Ran
from tests.faults.table import Fault

TOLD: Final[set[Fault]] = set()
"""Rows that a test has held against a run."""


def ids(fault: Fault) -> str:
    return fault.name.replace(" ", "-")


def as_told(fault: Fault, ran: Ran) -> None:
    """Never a pass unseen, never a traceback of imgcheck's own, and the row's own words."""
    TOLD.add(fault)
    assert "Traceback" not in ran.err, ran.err
    assert ran.code in fault.codes or (ran.code == -SIGKILL and fault.name == "KILL"), ran.err + ran.out
    assert re.search(fault.says, ran.err + ran.out), ran.err + ran.out

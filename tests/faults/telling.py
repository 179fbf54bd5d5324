"""What holds for every fault."""

from __future__ import annotations

import re

from tests.faults.harness import Ran
from tests.faults.table import Fault


def ids(fault: Fault) -> str:
    return fault.name.replace(" ", "-")


def as_told(fault: Fault, ran: Ran) -> None:
    """Never a pass unseen, never a traceback of imgcheck's own, and the row's own words."""
    assert "Traceback" not in ran.err, ran.err
    assert ran.code in fault.codes, ran.err + ran.out
    assert re.search(fault.says, ran.err + ran.out), ran.err + ran.out

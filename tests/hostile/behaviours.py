"""What hostile modules do as they are imported, and what they are told to have done.

Beside these the modules of tests/collector/hostile are put into the same image, those left out that take their time:
all of them are tried without an engine, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.collector.test_sweep import HOSTILE, VERDICTS

MODULES: Final = Path(__file__).parent / "modules"


@dataclass(frozen=True)
class Behaviour:
    """One module. `statuses` are those that may be told of it; its neighbours' must be as without it."""

    name: str
    source: str
    statuses: frozenset[str]


def _told(*statuses: str) -> frozenset[str]:
    return frozenset(statuses)


_HERE: Final = {
    "answers_on_every_descriptor": _told("container"),
    "answers_on_stdout": _told("container"),
    "attaches_to_parents": _told("ok"),
    "daemonises": _told("ok"),
    "eats_disk": _told("exception"),
    "fork_bomb": _told("timeout"),
    "kills_all": _told("container"),
    "looks_for_the_secret": _told("ok"),
    "patches_everything": _told("ok", "exception", "exit"),
    "says_commands": _told("exception"),
    "stops_all": _told("container"),
}

BEHAVIOURS: Final = (
    *(
        Behaviour(name, (HOSTILE / f"{name}.txt").read_text("utf-8"), _told(status))
        for name, (status, _) in VERDICTS.items()
        if status != "timeout"
    ),
    *(Behaviour(name, (MODULES / f"{name}.txt").read_text("utf-8"), statuses) for name, statuses in _HERE.items()),
)
SAMPLES: Final = {one.name: one for one in BEHAVIOURS}

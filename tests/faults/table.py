"""Every fault: how it is made, in which phase, and what must come of it. docs/explanation/faults.md shows the same.

python -m tests.faults.table writes the page's tables.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from imgcheck.errors import ExitCode

PAGE: Final = Path(__file__).parents[2] / "docs" / "explanation" / "faults.md"
_MARKED: Final = re.compile(
    r"(?<=<!-- faults: written by python -m tests\.faults\.table -->\n).*?(?=<!-- end -->)", re.DOTALL
)
KEPT, BROKEN, USAGE, ERROR = ExitCode.KEPT, ExitCode.BROKEN, ExitCode.USAGE, ExitCode.CHECK_ERROR
NOT_BUILT, AWAY, ENDED = ExitCode.NOT_BUILT, ExitCode.OUT_OF_REACH, ExitCode.INTERRUPTED


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One row.

    Args:
        name: what happens.
        how: how the test makes it happen.
        phase: when.
        codes: exit codes that are right; more than one where it may be over before.
        says: what the run's output must hold, as a pattern; empty where there is nothing to say.
        outcome: the same for people.
    """

    name: str
    how: str
    phase: str
    codes: tuple[ExitCode, ...]
    outcome: str
    says: str = ""


GROUPS: Final[dict[str, tuple[Fault, ...]]] = {}


def _group(title: str, *rows: Fault) -> tuple[Fault, ...]:
    GROUPS[title] = rows
    return rows


_PHASES: Final = ("build", "collect", "import", "probe")

KILLED: Final = _group(
    "imgcheck is ended, at 20 moments that chance chose once",
    *(
        Fault(
            name=name,
            how=f"the signal, at moments within {phase}",
            phase=phase,
            codes=codes if phase != "report" else (*codes, KEPT),
            outcome=outcome,
        )
        for phase in (*_PHASES, "report")
        for name, codes, outcome in (
            ("TERM", (ENDED,), "130, and everything it made was removed"),
            ("INT", (ENDED,), "130, and everything it made was removed"),
            ("KILL", (), "`imgcheck clean`, or the next run, removes what it left"),
        )
    ),
)

AWAY_IN: Final = _group(
    "The engine goes away and comes back",
    *(
        Fault(
            name=f"{engine} stops during {phase}",
            how=how,
            phase=phase,
            codes=(AWAY,),
            says="no container engine|engine stopped answering|cut off|builder does not answer|the engine could not",
            outcome="75; what was left on it goes with the next run",
        )
        for engine, how in (
            ("a proxy before the engine", "the socket and all connections are closed, and opened again afterwards"),
            ("dockerd", "a second dockerd is stopped, and started again afterwards (with --run-large)"),
        )
        for phase in (*_PHASES, "build, in a step")
    ),
    Fault(
        name="a proxy before the engine stops as the report is made",
        how="the socket and all connections are closed after the last fact",
        phase="report",
        codes=(KEPT, AWAY),
        outcome="the verdict on what was seen; or 75 where the base was still being looked into",
    ),
)

_AGAIN: Final = "0: it is asked again, and the report is the same"
_ONCE: Final = "75: what makes something is not said twice"
API: Final = _group(
    "The engine's API",
    Fault(
        name="answers slowly",
        how="each request waits 0.15 s",
        phase="all",
        codes=(KEPT,),
        outcome="0, and the report is the same",
    ),
    *(
        Fault(
            name=f"{verb} fails once with 500",
            how=f"the first {verb} is answered in place of the engine",
            phase=phase,
            codes=(code,),
            says="" if code is KEPT else "a fault that was injected",
            outcome=_AGAIN if code is KEPT else _ONCE,
        )
        for verb, phase, code in (
            ("GET /images", "collect", KEPT),
            ("GET /containers", "collect", KEPT),
            ("DELETE /containers", "collect", KEPT),
            ("POST /containers/create", "collect", AWAY),
            ("PUT /containers", "collect", KEPT),
            ("POST /containers/attach", "collect", AWAY),
            ("POST /containers/start", "collect", AWAY),
        )
    ),
    Fault(
        name="each GET of an image fails with 500",
        how="all of them are answered in place of the engine",
        phase="collect",
        codes=(AWAY,),
        says="a fault that was injected",
        outcome="75, with the engine's words",
    ),
    *(
        Fault(
            name=f"cuts the stream of a container {where}",
            how=f"both sides of the connection are closed {where}",
            phase="import",
            codes=(AWAY, ERROR),
            says=r"cut off the output|cut in the middle|no container engine answers|answer broke off",
            outcome="75, or 4 where the container ends with it: half an answer is no fact",
        )
        for where in ("at once", "in a frame's header", "in the middle of an answer")
    ),
    Fault(
        name="cuts an answer to GET",
        how="the connection is closed in the middle of the first account of the image",
        phase="collect",
        codes=(KEPT, AWAY),
        outcome="it is asked again; 75 where it is cut again",
    ),
)

CONTAINER: Final = _group(
    "Somebody else is at the container",
    Fault(
        name="killed",
        how="docker kill",
        phase="import",
        codes=(KEPT,),
        says=r"its process was killed \(status 137\)",
        outcome="0: what had no verdict was imported in another container, and the report says so",
    ),
    Fault(
        name="removed",
        how="docker rm -f",
        phase="import",
        codes=(KEPT, ERROR),
        says=r"removed from outside|its process was killed",
        outcome="0, after imports in another container, where the kill came first; else 4: that check could not run",
    ),
    Fault(
        name="paused",
        how="docker pause, for good",
        phase="import",
        codes=(ERROR,),
        says="paused from outside",
        outcome="4 after seconds, not a wait without end",
    ),
    Fault(
        name="paused for a moment",
        how="docker pause, docker unpause",
        phase="import",
        codes=(KEPT,),
        outcome="0",
    ),
    Fault(
        name="killed, of a probe",
        how="docker kill",
        phase="probe",
        codes=(ERROR,),
        says=r"its process was killed \(status 137\)",
        outcome="4: that probe could not run",
    ),
    Fault(
        name="out of memory in an import",
        how="a module that fills memory, under runtime.memory: 128MiB",
        phase="import",
        codes=(BROKEN, ERROR),
        says=r"memory|killed|SIGKILL|signal 9",
        outcome="1 or 4: never counted as imported",
    ),
    Fault(
        name="out of memory in a probe",
        how="a program that fills memory, under runtime.memory: 128MiB",
        phase="probe",
        codes=(BROKEN, ERROR),
        says=r"memory|killed|SIGKILL|signal 9",
        outcome="1 or 4: never counted as started",
    ),
)


_UNSEEN: Final = "0: facts are collected afresh, and the report says so"
HOST: Final = _group(
    "This machine",
    Fault(
        name="disk full: cache folder",
        how="a disk of 4 kB is mounted there",
        phase="collect",
        codes=(KEPT,),
        says="facts could not be kept in .*: No space left",
        outcome="0, and the report says that facts are not kept",
    ),
    Fault(
        name="disk full: report folder",
        how="a disk of 4 kB is mounted there",
        phase="report",
        codes=(KEPT,),
        says="the report could not be written to .*: No space left",
        outcome="the verdict, on standard output; the older report as it was",
    ),
    Fault(
        name="disk full: TMPDIR",
        how="a disk of 8 kB is mounted there",
        phase="build",
        codes=(ERROR,),
        says="definition cannot be written .*: No space left",
        outcome="4, with the way out",
    ),
    Fault(
        name="standard output full",
        how="> /dev/full",
        phase="report",
        codes=(ERROR,),
        says="standard output: No space left",
        outcome="4: a verdict that nobody got is no pass",
    ),
    Fault(
        name="standard output closed",
        how="a reader that has gone before",
        phase="report",
        codes=(KEPT,),
        says="code 0",
        outcome="the verdict's code: the reader had enough",
    ),
    Fault(
        name="/tmp and all else read-only, in a check",
        how="a mount namespace; cache and TMPDIR are below /tmp",
        phase="all",
        codes=(KEPT,),
        says="facts could not be kept in .*: Read-only file system",
        outcome="0: a check needs no file of this machine",
    ),
    Fault(
        name="/tmp and all else read-only, in a build",
        how="a mount namespace; cache and TMPDIR are below /tmp",
        phase="build",
        codes=(ERROR,),
        says="definition cannot be written among this machine's temporary files",
        outcome="4, with the way out",
    ),
    Fault(
        name="cache folder read-only",
        how="a read-only disk is mounted there",
        phase="collect",
        codes=(KEPT,),
        says="facts could not be kept in .*: Read-only file system",
        outcome="0, and the report says that facts are not kept",
    ),
    Fault(
        name="clock goes back",
        how="time.time of imgcheck's process goes back by a day, a second after it began",
        phase="all",
        codes=(KEPT,),
        outcome="0; nothing of a living run counts as left behind",
    ),
)

KEPT_FACTS: Final = _group(
    "Kept facts",
    *(
        Fault(
            name=f"facts entries: {damage}",
            how=how,
            phase="collect",
            codes=(KEPT,),
            says=says,
            outcome=_UNSEEN,
        )
        for damage, how, says in (
            ("truncated", "each is cut to its half", "were damaged, and were collected afresh"),
            ("empty", "each has no byte", "were damaged, and were collected afresh"),
            ("zeros", "each byte is 0, as after a power cut", "were damaged, and were collected afresh"),
            ("a bit changed", "names and versions in it are others", "were damaged, and were collected afresh"),
            ("a folder each", "a folder of its name", "cannot be read, and were collected afresh"),
        )
    ),
    *(
        Fault(
            name=f"last report: {damage}",
            how="`imgcheck explain` with it",
            phase="explain",
            codes=(USAGE,),
            says="is no JSON report",
            outcome="2, with the way out",
        )
        for damage in ("truncated", "empty")
    ),
)


IMAGE: Final = _group(
    "The image and its runtime",
    Fault(
        name="disk full in the image",
        how="a tmpfs of 1 MiB at /tmp, and a probe that writes 4 MiB",
        phase="probe",
        codes=(BROKEN,),
        says="No space left on device",
        outcome="1, with the program's own words",
    ),
    Fault(
        name="read-only root without a tmpfs",
        how="runtime.read_only",
        phase="all",
        codes=(KEPT,),
        outcome="0: the collector has a volume of its own",
    ),
    Fault(
        name="/tmp is noexec",
        how="runtime.tmpfs, which is mounted so",
        phase="all",
        codes=(KEPT,),
        outcome="0: nothing of the collector is executed from there",
    ),
    Fault(
        name="a user that can write nowhere",
        how='runtime.user: "4321" and runtime.read_only',
        phase="all",
        codes=(KEPT,),
        outcome="0: the collector has a volume of its own",
    ),
    Fault(
        name="collector's folder not readable by the image's user",
        how="the image has /.imgcheck with mode 0700, and USER 4321",
        phase="all",
        codes=(KEPT,),
        outcome="0: the image's folder is covered and not copied",
    ),
    Fault(
        name="a file in the place of the collector's folder",
        how="the image has a file /.imgcheck",
        phase="collect",
        codes=(USAGE,),
        says=r"the image has a file at /\.imgcheck",
        outcome="2, with the way out",
    ),
    Fault(
        name="a log of 0 bytes",
        how="a probe that says nothing",
        phase="probe",
        codes=(BROKEN,),
        says="ready",
        outcome="1: what it was to say is missing",
    ),
    *(
        Fault(
            name=f"a log of {size}",
            how="a probe that writes it",
            phase="probe",
            codes=(KEPT,),
            outcome=f"0, and imgcheck stays below 400 MB{rare}",
        )
        for size, rare in (("200 MB", ""), ("5 GB", " (with --run-large)"))
    ),
    *(
        Fault(
            name=f"{count} files in site-packages",
            how="an image that has them, each in RECORD",
            phase="collect",
            codes=(KEPT,),
            says=f"{count[:-4]},",
            outcome=f"0, and all are compared{rare}",
        )
        for count, rare in (("10,000", ""), ("100,000", " (with --run-large)"))
    ),
    Fault(
        name="names with newlines, spaces, escapes, 250 characters, and of no UTF-8",
        how="modules, packages and distributions of such names",
        phase="all",
        codes=(KEPT,),
        says="not-an-identifier 3",
        outcome="0: what can be imported is, what cannot is counted, and all names are shown as text",
    ),
)

TOGETHER: Final = _group(
    "Several runs at once",
    *(
        Fault(
            name=f"{count} runs on one engine and one cache",
            how="a build and checks, and `imgcheck clean` all the time",
            phase="all",
            codes=(KEPT,),
            outcome="each report is that of a run alone; nothing is taken from them",
        )
        for count in (2, 8)
    ),
)


def rows(group: tuple[Fault, ...], *names: str) -> list[Fault]:
    """Those of a group whose name begins so; a name that is none is a mistake."""
    chosen = [one for one in group if not names or one.name.startswith(names)]
    assert chosen
    return chosen


def opt_in() -> set[Fault]:
    """What takes long, and is done with --run-large alone."""
    return {one for group in GROUPS.values() for one in group if "--run-large" in one.how + one.outcome}


def count() -> int:
    return sum(map(len, GROUPS.values())) - len(KILLED) + 20  # each signal and phase, at one moment or two


_HEAD: Final = "| fault | how it is made | phase | what comes of it |\n| --- | --- | --- | --- |\n"


def tables() -> str:
    parts = [f"{count()} faults.\n"]
    for title, members in GROUPS.items():
        parts.append(f"\n## {title}\n\n{_HEAD}")
        parts += [f"| {one.name} | {one.how} | {one.phase} | {one.outcome} |\n" for one in members]
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(_MARKED.sub(lambda _: tables(), PAGE.read_text("utf-8")), "utf-8")
    sys.stdout.write(f"wrote {PAGE}\n")

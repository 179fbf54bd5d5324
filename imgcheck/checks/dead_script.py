"""IC209: a script cannot be started: its interpreter is gone, or its first line ends with a carriage return."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.counting import counted, verb
from imgcheck.diagnosis.endings import signal_words
from imgcheck.diagnosis.requirements import label
from imgcheck.diagnosis.tracebacks import is_raised_on_purpose, message_of, raiser_of
from imgcheck.facts.model import Facts
from imgcheck.facts.script_runs import ScriptRun, ScriptRuns
from imgcheck.facts.surroundings import ScriptFacts, Surroundings
from imgcheck.outcome import Fault, Judgement

_SHOWN = 10
_PYTHON = re.compile(r"/(?:python|pypy)[\d.]*\Z")
_IDLE = "Copy what it leads to, or delete the link. Nothing is to be done where the cluster mounts it."
_WHAT = {
    "absent": "is not in the image, or not on its PATH",
    "not-executable": "may not be executed by this user",
    "carriage-return": "has a carriage return at the end of its first line, so that its interpreter is not found",
    "interpreter-absent": "cannot be started: its interpreter {interpreter} is not in the image{link}",
    "interpreter-not-executable": "cannot be started: this user may not execute its interpreter {interpreter}",
    "loader-absent": "cannot be started: {interpreter} needs the loader {target}, which is not in the image",
    "other-machine": "cannot be started: {interpreter} is a program for {target}",
    "unknown-format": "has no first line that names its interpreter, and is no program",
    "dangling": "{are} to {target}{by}, which is not in the image",
}
_ITSELF = "It says itself what it lacks, or does not take: install that where it is used."
_TRACEBACK = "The traceback names what to pin or to install."
_HOW = {
    "signal": "was ended by {signal}",
    "traceback": "ends with {last}",
    "unstarted": "cannot be started: {last}",
}
_REMEDY = {
    "absent": "Name a program that is there, with its whole path, in ENTRYPOINT or CMD.",
    "not-executable": "Set its mode in the build: RUN chmod 755, or COPY --chmod=755.",
    "carriage-return": "Write it with Unix line ends (`eol=lf` in .gitattributes, or dos2unix in the build).",
    "interpreter-absent": "Make the environment where it will be used: a virtual environment cannot be moved or copied "
    "to another path, and its interpreter must come along (python -m venv in the final stage, COPY to the same path).",
    "interpreter-not-executable": "Put the interpreter where every user may go: not below /root.",
    "loader-absent": "It was built for another C library (ld-musl: Alpine) or linker: take a build for this image's.",
    "other-machine": "Take a build for this image's platform; a COPY from a stage of another platform brings such.",
    "unknown-format": "Write #!/bin/sh, or its interpreter, as its very first bytes (a byte order mark counts), "
    "or start it through a shell.",
    "dangling": "Copy the interpreter along, to the same path, or make the environment in the final stage (with uv: "
    "UV_PYTHON_INSTALL_DIR outside the builder's home, copied as well; or the system's Python).",
}


def judge(contract: Contract, facts: Facts) -> Judgement:
    known = facts.surroundings or Surroundings()
    command = [known.command] if known.command else []
    scripts = list({one.path: one for one in (*command, *known.scripts)}.values())
    runs = (facts.script_runs or ScriptRuns()).runs
    return Judgement(
        examined=len(scripts),
        unit="scripts",
        faults=(
            *(_fault(group, known.command) for group in _groups(scripts)),
            *(_crashed(one, facts) for one in runs if one.outcome in _HOW),
            *_silent([one for one in runs if one.outcome in ("other", "timeout")]),
            *_not_run(contract, facts),
        ),
    )


def _crashed(run: ScriptRun, facts: Facts) -> Fault:
    """A module that is not installed may be an extra's: requirements and imports tell whether it should be."""
    last = message_of(run.output)[:300]
    own = run.outcome == "traceback" and _says_itself(run, facts)
    how = _HOW[run.outcome].format(signal=signal_words(-(run.status or 0)), last=last)
    return Fault(
        subject=run.name,
        summary=f"{run.name} {run.option} {how}",
        expected="an answer",
        actual=how,
        remedy=f"{_ITSELF if own else _TRACEBACK} Where nobody uses it, exclude it in the contract: "
        f"scripts: {{exclude: [{run.name}]}}.",
        evidence=run.output.strip(),
        identity=how,
        note=own or last.startswith("ModuleNotFoundError"),
    )


def _says_itself(run: ScriptRun, facts: Facts) -> bool:
    """Its own distribution raises on purpose: an extra that nobody asked for, a program it runs, an unknown option."""
    owners = {
        label(one) for one in facts.inventory.distributions for entry in one.entry_points if entry.name == run.name
    }
    return is_raised_on_purpose(run.output) and raiser_of(run.output, facts) in owners


def _silent(runs: list[ScriptRun]) -> Iterator[Fault]:
    """Scripts that do other things than answer: listed, for nothing is known of them."""
    if runs:
        yield Fault(
            subject="scripts",
            summary=f"{counted(len(runs), 'script')} did other things than answer --help and --version: of "
            f"{verb(len(runs), 'it', 'them')} nothing is known",
            actual="no answer",
            remedy="Nothing is to be done; a smoke line tells more of those that matter.",
            evidence="\n".join(
                f"{one.name}: {'no end in time' if one.status is None else f'status {one.status}'}" for one in runs
            ),
            details=tuple(one.name for one in runs),
            identity="no answer",
            note=True,
        )


def _not_run(contract: Contract, facts: Facts) -> Iterator[Fault]:
    if contract.scripts and facts.script_runs is None:
        yield Fault(
            subject="scripts",
            summary="The console scripts were not run, though the contract asks for it",
            actual="not run",
            remedy="See the notice on why their facts could not be collected.",
            unverified=True,
        )


def _groups(scripts: Iterable[ScriptFacts]) -> Iterator[tuple[ScriptFacts, ...]]:
    """Scripts that cannot be started for the same reason, in one folder."""
    found: defaultdict[tuple[str, str, str], list[ScriptFacts]] = defaultdict(list)
    for one in scripts:
        if one.state != "fine":
            found[one.state, one.interpreter, one.path.rpartition("/")[0]].append(one)
    return (tuple(sorted(group, key=lambda one: one.path != one.interpreter)) for group in found.values())


def _fault(group: tuple[ScriptFacts, ...], command: ScriptFacts | None) -> Fault:
    """A link to what is no Python, and not what the image starts with, may lead to what the cluster mounts."""
    first = group[0]
    idle = first.state == "dangling" and command not in group and not any(_PYTHON.search(one.path) for one in group)
    link = f" (it is a link to {first.target})" if first.target else ""
    words = {
        "interpreter": first.interpreter,
        "link": link,
        "target": first.target,
        "are": verb(len(group), "is a link", "are links"),
        "by": "" if first.path == first.interpreter else f" by {first.interpreter}",
    }
    what = _WHAT[first.state].format_map(words)
    others = f" and {len(group) - 1:,} more" if len(group) > 1 else ""
    gone = first.state in ("interpreter-absent", "dangling") and first.interpreter
    return Fault(
        subject=first.path.rpartition("/")[2],
        summary=f"{first.path}{others} {what}",
        expected=f"a program at {first.target or first.interpreter}" if gone else "a program that starts",
        actual=first.state.replace("-", " "),
        remedy=_IDLE if idle else _REMEDY[first.state],
        evidence="\n".join(one.path for one in group[:_SHOWN]),
        details=tuple(one.path.rpartition("/")[2] for one in group[1:]),
        identity=f"{first.state} {first.interpreter}",
        note=idle,
    )


CHECK = Check(
    code="IC209",
    name="dead-script",
    summary="A script on PATH, or what the image starts with, cannot be started",
    needs=Needs.SURROUNDINGS,
    applies=lambda _contract: True,
    judge=judge,
)

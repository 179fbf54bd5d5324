"""IC802: the image's user cannot write where the contract, a variable or Python's tempfile says that it can."""

from __future__ import annotations

from collections.abc import Iterator

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.asking import working_folder
from imgcheck.diagnosis.known_caches import CACHES, TEMPORARY
from imgcheck.facts.model import Facts
from imgcheck.facts.surroundings import PathFacts, Surroundings
from imgcheck.outcome import Fault, Judgement, Location


def judge(contract: Contract, facts: Facts) -> Judgement:
    known = facts.surroundings or Surroundings()
    uid = facts.inventory.interpreter.uid
    asked = list(_asked(contract, facts, known))
    places = (*TEMPORARY, working_folder(contract, facts.image))  # as tempfile.gettempdir looks for one
    temporary = [there for one in places if (there := known.at(one))]
    return Judgement(
        examined=len(asked) + bool(temporary),
        unit="paths",
        faults=(
            *(_fault(who, there, uid, where) for who, there, where in asked if not _can_write(there)),
            *_no_temporary(temporary, known, uid),
        ),
    )


def _asked(contract: Contract, facts: Facts, known: Surroundings) -> Iterator[tuple[str, PathFacts, Location | None]]:
    for number, path in enumerate(contract.image.writable):
        there = known.at(path)
        if there:
            yield path, there, contract.where("image", "writable", str(number))
    set_here = {name.partition("=")[0] for name in facts.image.env} | set(contract.runtime.env)
    for name, value in known.environment:
        there = known.at(value) if name in CACHES and name in set_here else None
        if there:
            yield name, there, contract.where("runtime", "env", name)


def _can_write(there: PathFacts) -> bool:
    """To a folder, or to where it would be made."""
    if there.kind in ("missing", "dangling"):
        return there.nearest_writable
    return there.kind != "closed" and there.writable


def _fault(who: str, there: PathFacts, uid: int, where: Location | None) -> Fault:
    named = there.path if who == there.path else f"{there.path}, which {who} names"
    missing = there.kind in ("missing", "dangling")
    how = f"it is not there, and {there.nearest} is not writable" if missing else "it is not writable"
    source = f" ({CACHES[who]})" if who in CACHES else ""
    return Fault(
        subject=who,
        summary=f"uid {uid} cannot write to {named}: {how}",
        expected=f"writable for uid {uid}",
        actual=how,
        remedy=f"Create it in the build for that user (RUN install -d -o {uid} {there.path}; for any user: chmod "
        f"1777), or mount it and name it under runtime.mounts.{source}",
        location=where,
        identity=f"{there.path} {how}",
    )


def _no_temporary(temporary: list[PathFacts], known: Surroundings, uid: int) -> Iterator[Fault]:
    if not temporary or any(_can_write(one) and one.kind == "folder" for one in temporary):
        return
    if not dict(known.environment).keys().isdisjoint(("TMPDIR", "TEMP", "TMP")):
        return
    yield Fault(
        subject="tempfile",
        summary=f"uid {uid} can write to none of {', '.join(TEMPORARY)}: no program can make a temporary file",
        expected="a temporary folder",
        actual="none that is writable",
        remedy="Mount one where the root is read-only (runtime.mounts: [{path: /tmp}]), or chmod 1777 /tmp.",
        identity="no temporary folder",
    )


CHECK = Check(
    code="IC802",
    name="unwritable-path",
    summary="The image's user cannot write where it must",
    needs=Needs.SURROUNDINGS,
    applies=lambda _contract: True,
    judge=judge,
)

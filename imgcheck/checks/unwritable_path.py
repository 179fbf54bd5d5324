"""IC802: the image's user cannot write where the contract, a variable or tempfile says, or where a program tried to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.asking import working_folder
from imgcheck.diagnosis.known_caches import CACHES, TEMPORARY
from imgcheck.diagnosis.write_attempts import Attempt, attempts, mount_of
from imgcheck.facts.model import Facts
from imgcheck.facts.surroundings import PathFacts, Surroundings
from imgcheck.outcome import Fault, Judgement, Location


def judge(contract: Contract, facts: Facts) -> Judgement:
    known = facts.surroundings or Surroundings()
    uid = facts.inventory.interpreter.uid
    asked = list(_asked(contract, facts, known))
    places = (*TEMPORARY, working_folder(contract, facts.image))  # as tempfile.gettempdir looks for one
    temporary = [there for one in places if (there := known.at(one))]
    told = [
        *(_fault(who, there, uid, where) for who, there, where in asked if not _can_write(there)),
        *_no_temporary(temporary, known, uid),
    ]
    tried = _by_place(contract, facts)
    known_already = {fault.subject for fault in told}
    told += [_tried(place, several, contract, uid) for place, several in tried.items() if place not in known_already]
    return Judgement(examined=len(asked) + bool(temporary) + len(tried), unit="paths", faults=tuple(told))


def _by_place(contract: Contract, facts: Facts) -> dict[str, list[Attempt]]:
    """What was tried and failed: by the read-only mount, the variable that moves it, or the folder."""
    found: dict[str, list[Attempt]] = {}
    for one in attempts(facts):
        place = mount_of(one.path, contract) or one.variable or str(PurePosixPath(one.path).parent)
        found.setdefault(place, []).append(one)
    return found


def _tried(place: str, several: list[Attempt], contract: Contract, uid: int) -> Fault:
    first = next((one for one in several if one.fatal), several[0])
    mount = mount_of(first.path, contract)
    who = list(dict.fromkeys(one.who for one in several))
    more = f", and {len(who) - 1} more do" if len(who) > 1 else ""
    goes_on = "" if first.fatal else "; it goes on without"
    why = f", which the cluster mounts read-only at {mount}" if mount else ""
    return Fault(
        subject=place,
        summary=f"{first.who} tries to write to {first.path}{why}, and uid {uid} cannot{more}{goes_on}",
        expected="writes only where it may",
        actual=first.text,
        remedy=_way_out(first, mount, uid),
        location=contract.where("runtime", "mounts") if mount else contract.where("runtime"),
        evidence="\n".join(dict.fromkeys(f"{one.who}: {one.text}" for one in several)),
        details=tuple(who[1:]),
        identity=f"tried {place}",
        note=not first.fatal,
    )


def _way_out(first: Attempt, mount: str, uid: int) -> str:
    if mount:
        moved = f" ({first.variable})" if first.variable else ""
        return f"An index or cache cannot lie beside read-only data: write it elsewhere{moved}, or make it before."
    if first.variable:
        return f"Point {first.variable} to a folder that uid {uid} may write, in the image (ENV) or under runtime.env."
    return (
        f"Create the folder in the build for that user (RUN install -d -o {uid} "
        f"{PurePosixPath(first.path).parent}), or mount one and name it under runtime.mounts."
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
    needs=Needs.WRITABLE,
    applies=lambda _contract: True,
    judge=judge,
)

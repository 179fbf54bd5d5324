"""IC309: a module is imported, and not from the file that is recorded; or this user cannot read what is installed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.locating import Closed, Place, closed_of, other_owner, place_of
from imgcheck.diagnosis.requirements import label
from imgcheck.diagnosis.sweep import verdicts_of
from imgcheck.facts.model import Facts, ModuleFacts
from imgcheck.outcome import Fault, Judgement

_REMEDY = (
    "Install with umask 022, or run `chmod -R a+rX {place}` in the step that installs; or run the image as its owner."
)


_FOR_STRANGERS = (
    "Let group 0 read, and write where the module writes: `chmod -R g=u PLACE`; or set a variable that names a folder "
    "that everybody may write (HOME, XDG_CACHE_HOME, MPLCONFIGDIR)."
)


def judge(contract: Contract, facts: Facts) -> Judgement:
    verdicts = verdicts_of(contract, facts)
    places = [(one, place_of(one)) for one in verdicts.modules.values() if one.status == "ok"]
    counts = Counter(place for _, place in places)
    over = {place.value: counts[place] for place in (Place.OF_ITS_OWN, Place.UNTOLD)}
    over["could not be imported"] = len(verdicts.modules) - len(places)
    over["excluded by the contract"] = verdicts.excluded
    closed = closed_of(facts.inventory, verdicts)
    return Judgement(
        examined=len(places) - counts[Place.OF_ITS_OWN] - counts[Place.UNTOLD],
        unit="modules",
        faults=(
            *_closed_entries(facts),
            *(_unreadable(facts, name, one) for name, one in closed.items()),
            *(_elsewhere(facts, one) for one, place in places if place is Place.OTHER),
            *_closed_to_strangers(facts, verdicts.modules),
        ),
        passed_over=tuple((reason, count) for reason, count in over.items() if count),
    )


def _closed_entries(facts: Facts) -> Iterator[Fault]:
    interpreter = facts.inventory.interpreter
    for entry in interpreter.closed:
        yield Fault(
            subject=entry,
            summary=f"uid {interpreter.uid} cannot read {entry}, a folder of sys.path: nothing in it can be imported",
            expected=f"readable for uid {interpreter.uid}",
            actual="permission denied",
            remedy=_REMEDY.format(place=entry),
        )


def _unreadable(facts: Facts, name: str, closed: Closed) -> Fault:
    uid, found = facts.inventory.interpreter.uid, facts.inventory.find(name)
    who = (label(found) if found else "") or name
    empty = f", though importing {closed.modules[0]} raises nothing" if closed.modules else ""
    return Fault(
        subject=name,
        summary=f"uid {uid} cannot read {who}{empty}",
        expected=f"readable for uid {uid}",
        actual="permission denied",
        remedy=_REMEDY.format(place=closed.places[0]),
        evidence="\n".join((*(f"permission denied: {place}" for place in closed.places), f"files: {closed.files:,}")),
        details=tuple(closed.modules),
    )


def _elsewhere(facts: Facts, module: ModuleFacts) -> Fault:
    owner = other_owner(facts.inventory, module)
    where = f"{module.file} of {owner}" if owner else f"{module.file}, which no distribution lists"
    return Fault(
        subject=module.module,
        summary=f"{module.module} of {module.distribution} is imported from {where}",
        expected=module.path,
        actual=module.file or "no file",
        remedy="Keep one of the two: the folder that comes first on sys.path wins (PYTHONPATH, .pth files, user site).",
        identity=f"imported from {owner or 'elsewhere'}",
    )


def _closed_to_strangers(facts: Facts, own: Mapping[str, ModuleFacts]) -> Iterator[Fault]:
    """What the image's user can import and the user of --vantage cannot, one fault for each distribution."""
    if facts.stranger_imports is None:
        return
    theirs = {one.module: one for one in facts.stranger_imports.modules}
    lost: defaultdict[str, list[tuple[ModuleFacts, ModuleFacts | None]]] = defaultdict(list)
    for one in own.values():
        other = theirs.get(one.module)
        if one.status == "ok" and (other is None or other.status != "ok"):
            lost[one.distribution].append((one, other))
    for distribution, pairs in lost.items():
        modules = [one for one, _ in pairs]
        first, other = min(pairs, key=lambda pair: (bool(pair[1] and pair[1].inherited_from), pair[0].module))
        why = _why_not(other)
        yield Fault(
            subject=f"{distribution} as uid {facts.stranger}",
            summary=f"uid {facts.stranger} cannot import {first.module} of {distribution}; the image's own user can",
            expected=f"importable for uid {facts.stranger} in group 0",
            actual=why,
            remedy=_FOR_STRANGERS,
            identity=f"{first.module}: {why}",
            details=tuple(one.module for one in modules),
        )


def _why_not(verdict: ModuleFacts | None) -> str:
    """Without a verdict the module was not even found: who cannot read a folder is not told what is in it."""
    if verdict is None:
        return "it is not found: a folder on the way to it, or its metadata, cannot be read"
    return f"{verdict.error.type}: {verdict.error.message}" if verdict.error else verdict.reason or verdict.status


CHECK = Check(
    code="IC309",
    name="unreadable-module",
    summary="A module is imported from another file than the recorded one, or cannot be read",
    needs=Needs.IMPORTS,
    applies=lambda contract: bool(contract.imports),
    judge=judge,
)

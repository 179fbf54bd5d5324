"""IC307: an import hides that a library of a distribution could not be loaded, and goes on without it."""

from __future__ import annotations

from collections import Counter, defaultdict

from packaging.utils import canonicalize_name

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.causes import normalised
from imgcheck.diagnosis.library_sources import way_to
from imgcheck.diagnosis.owning import label_of
from imgcheck.diagnosis.swallowing import Swallowed, lacking_library, lacking_symbol, raised_words, swallowed
from imgcheck.diagnosis.symbols import owner_of
from imgcheck.facts.loads import LoadTry
from imgcheck.facts.model import Facts
from imgcheck.outcome import Fault, Judgement

_TOLD = (Swallowed.BROKEN, Swallowed.OPTIONAL, Swallowed.UNTOLD)
_COUNTED = (Swallowed.DRIVER, Swallowed.LATER, Swallowed.NOBODYS)


def judge(_contract: Contract, facts: Facts) -> Judgement:
    tries = facts.loads.tries if facts.loads else ()
    raised = raised_words(facts.imports)
    kinds = [(swallowed(one), one) for one in tries if not (one.error and one.error in raised.get(one.module, ""))]
    counts = Counter(kind for kind, _ in kinds)
    groups: defaultdict[tuple[str, str], list[tuple[Swallowed, LoadTry]]] = defaultdict(list)
    for kind, one in kinds:
        if kind in _TOLD:
            groups[canonicalize_name(one.distribution), _same(one)].append((kind, one))
    return Judgement(
        examined=sum(one.status == "ok" for one in facts.imports.modules) if facts.imports else 0,
        unit="imports",
        faults=tuple(_fault(facts, owner, files) for (owner, _), files in sorted(groups.items())),
        passed_over=tuple((f"libraries that {kind.value}", counts[kind]) for kind in _COUNTED if counts[kind]),
    )


def _same(one: LoadTry) -> str:
    """What two files of one cause have in common."""
    return lacking_library(one) or lacking_symbol(one) or normalised(one.error or one.problem)


def _fault(facts: Facts, owner: str, files: list[tuple[Swallowed, LoadTry]]) -> Fault:
    kind, first = min(files, key=lambda pair: (_TOLD.index(pair[0]), pair[1].path))
    names = sorted({one.path.rpartition("/")[2] for _, one in files})
    first_name = first.path.rpartition("/")[2]
    ending = f" and {len(names) - 1} more" if len(names) > 1 else ""
    untold = kind is Swallowed.UNTOLD
    why = first.problem if untold else first.error or ""
    return Fault(
        subject=f"{owner} -> {first_name}",
        summary=f"{label_of(facts.inventory, owner)} goes on without {first_name}{ending}, which does not load",
        expected=f"{first_name} is loaded by the import of {first.module}",
        actual=why,
        remedy=_remedy(facts, owner, first),
        evidence="\n".join(f"{one.path}: {one.error or one.problem}" for _, one in files),
        details=tuple(f"{owner} -> {name}" for name in names if name != first_name),
        identity=_same(first),
        unverified=untold,
        note=kind is Swallowed.OPTIONAL,
        blame=(owner,),
    )


def _remedy(facts: Facts, owner: str, one: LoadTry) -> str:
    library = lacking_library(one)
    if library:
        how = way_to(library)
        return f"{how[0].upper()}{how[1:]}, or install a variant of {owner} that goes without it."
    other = owner_of(lacking_symbol(one))
    if other and other != owner and facts.inventory.find(other):
        return f"Install builds of {owner} and {other} that were made for each other: same index, same versions."
    return f"Install a {owner} that was built for this image's Python and libraries, or reinstall it if it is damaged."


CHECK = Check(
    code="IC307",
    name="swallowed-load",
    summary="An import hides that a library of its distribution could not be loaded",
    needs=Needs.LOADS,
    applies=lambda contract: bool(contract.imports),
    judge=judge,
)

"""IC402: a native file needs a function or variable that no library of the image defines."""

from __future__ import annotations

from collections import Counter, defaultdict

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.loading import Loading, loadings_of
from imgcheck.diagnosis.owning import label_of
from imgcheck.diagnosis.symbols import owner_of, readable
from imgcheck.facts.model import Facts
from imgcheck.outcome import Fault, Judgement

_SHOWN = 8


def judge(_contract: Contract, facts: Facts) -> Judgement:
    loadings = loadings_of(facts)
    groups: defaultdict[tuple[str, str], list[Loading]] = defaultdict(list)
    for one in loadings.all:
        if one.symbols:
            groups[one.file.distribution or one.file.name, _other_side(facts, one)].append(one)
    waiting = sum(bool(one.libraries or one.versions) for one in loadings.all)
    reason = "lack a library or a version: see missing-library, missing-symbol-version"
    return Judgement(
        examined=loadings.judged - waiting,
        unit="native files",
        faults=tuple(_fault(facts, *sides, files) for sides, files in sorted(groups.items())),
        passed_over=(*loadings.passed_over(), *(((reason, waiting),) if waiting else ())),
    )


def _other_side(facts: Facts, one: Loading) -> str:
    """The installed distribution whose namespace most of the symbols are in; or the library they would come from."""
    named = Counter(owner for symbol in one.symbols if (owner := owner_of(symbol)))
    ours = one.file.distribution
    return next((name for name, _ in named.most_common() if name != ours and facts.inventory.find(name)), "")


def _fault(facts: Facts, asker: str, other: str, files: list[Loading]) -> Fault:
    first = next((one for one in files if not one.optional), files[0])
    label, symbol = label_of(facts.inventory, asker), readable(first.symbols[0])
    why = f"was built for another {other} than {label_of(facts.inventory, other)}" if other else "does not fit"
    pair = f"{asker} and {other}" if other else f"{asker} and of the libraries it uses"
    return Fault(
        subject=f"{asker} -> {other}" if other else asker,
        summary=f"{label} {why}: {first.file.name} needs {symbol}, which no library of the image defines",
        expected=f"a library that defines {first.symbols[0]}",
        actual="no file of the image defines it",
        remedy=f"Install builds of {pair} that were made for each other: same index, same pair of versions.",
        evidence="\n".join(line for one in files[:_SHOWN] for line in _lines(one)),
        identity="undefined",
        note=all(one.optional for one in files),
    )


def _lines(one: Loading) -> list[str]:
    rest = max(one.file.undefined_count, len(one.symbols)) - 3
    more = [f"  … and {rest} more"] if len(one.symbols) > 3 else []
    return [f"{one.file.path} needs", *(f"  {symbol}" for symbol in one.symbols[:3]), *more]


CHECK = Check(
    code="IC402",
    name="missing-symbol",
    summary="A native file needs a symbol that no library of the image defines",
    needs=Needs.NATIVE,
    applies=lambda contract: bool(contract.native),
    judge=judge,
)

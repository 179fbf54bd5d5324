"""IC401: a native file needs a shared library that the loader does not find, and that is nowhere in the image."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.library_sources import way_to
from imgcheck.diagnosis.loading import Loading, Loadings, Standing, loadings_of
from imgcheck.diagnosis.owning import label_of
from imgcheck.facts.model import Facts
from imgcheck.outcome import Fault, Judgement

_SHOWN = 8
_NAMED = 3

Lacks = dict[str, list[Loading]]
"""Library -> the files that cannot be loaded without it."""


def judge(_contract: Contract, facts: Facts) -> Judgement:
    loadings = loadings_of(facts)
    groups: defaultdict[tuple[str, str], list[Loading]] = defaultdict(list)
    for one in loadings.all:
        for library in one.libraries:
            groups[_asker(one, library.needed_by, loadings), library.name].append(one)
    return Judgement(
        examined=loadings.judged,
        unit="native files",
        faults=(
            *(_fault(facts, asker, lacks, note=note) for (asker, note), lacks in _by_asker(groups)),
            *(_unreadable(one) for one in loadings.all if one.standing is Standing.UNREADABLE),
        ),
        passed_over=loadings.passed_over(),
    )


def _by_asker(groups: Mapping[tuple[str, str], list[Loading]]) -> list[tuple[tuple[str, bool], Lacks]]:
    """One fault for all that one asker must have, and one for all that it can do without."""
    found: defaultdict[tuple[str, bool], Lacks] = defaultdict(dict)
    for (asker, library), files in sorted(groups.items()):
        found[asker, all(one.optional for one in files)][library] = files
    return sorted(found.items())


def _asker(one: Loading, needed_by: str, loadings: Loadings) -> str:
    """Whose file asks for the library: a distribution, or a file by its name."""
    return loadings.owners.get(needed_by) or one.file.distribution or needed_by.rpartition("/")[2]


def _fault(facts: Facts, asker: str, lacks: Lacks, *, note: bool) -> Fault:
    library, *others = lacks
    files = [one for found in lacks.values() for one in found]
    first = next((one for one in files if not one.optional), files[0]).file
    what = f"the shared library {library}, which is" if not others else "shared libraries that are"
    named = "" if not others else f", {_some(list(lacks))}"
    how, label = way_to(library), label_of(facts.inventory, asker)
    return Fault(
        subject=f"{asker} -> {library}",
        summary=f"{label} needs {what} not in the image{named}: {first.name} cannot be loaded",
        expected=f"{_some(list(lacks))} where the loader looks",
        actual="nowhere in the image",
        remedy=f"{how[0].upper()}{how[1:]}, or install a variant of {asker} that goes without it.",
        evidence="\n".join(_lines(lacks)),
        details=tuple(f"{asker} -> {one}" for one in others),
        identity="missing",
        note=note,
    )


def _some(names: list[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def _lines(lacks: Lacks) -> Iterator[str]:
    """What each file lacks, and the way to each library after the first."""
    paths = list(dict.fromkeys(one.file.path for files in lacks.values() for one in files))
    for path in paths[:_SHOWN]:
        names = [name for name, files in lacks.items() if any(one.file.path == path for one in files)]
        yield f"{path} lacks {_some(names)}"
    if len(paths) > _SHOWN:
        yield f"… and {len(paths) - _SHOWN} more"
    yield from (f"{name}: {way_to(name)}" for name in list(lacks)[1:_SHOWN])


def _unreadable(one: Loading) -> Fault:
    return Fault(
        subject=f"{one.file.distribution or 'file'} -> {one.file.name}",
        summary=f"{one.file.path} is no whole shared library",
        expected="an ELF file that can be read to its end",
        actual=one.file.problem,
        remedy=f"Reinstall {one.file.distribution or 'it'}: the file was cut off or damaged.",
        unverified=True,
    )


CHECK = Check(
    code="IC401",
    name="missing-library",
    summary="A native file needs a shared library that is not in the image",
    needs=Needs.NATIVE,
    applies=lambda contract: bool(contract.native),
    judge=judge,
)

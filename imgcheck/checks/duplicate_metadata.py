"""IC106: one distribution is there twice: two versions in one folder, or one that hides another."""

from __future__ import annotations

from collections.abc import Iterator

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.duplicates import Hidden, hidden_ones, is_outside, on_disk
from imgcheck.diagnosis.file_owners import FileOwners
from imgcheck.facts.model import Distribution, Facts
from imgcheck.outcome import Fault, Judgement


def judge(_contract: Contract, facts: Facts) -> Judgement:
    owners = FileOwners.of(facts)
    return Judgement(
        examined=len({one.canonical_name for one in facts.inventory.distributions}),
        unit="distributions",
        faults=(
            *(_twice(several, owners) for several in owners.twice.values() if not _is_one_packages(several, owners)),
            *(_hidden(one, facts) for one in hidden_ones(owners) if one.is_other),
            *_replaced(owners),
            *_leftovers(owners),
        ),
    )


def _is_one_packages(several: tuple[Distribution, ...], owners: FileOwners) -> bool:
    """Debian ships .dist-info and .egg-info of one build side by side."""
    packages = {owners.packaged.get(one.metadata_path) for one in several}
    return len(packages) == 1 and None not in packages


def _twice(several: tuple[Distribution, ...], owners: FileOwners) -> Fault:
    name, versions = several[0].name, [one.version for one in several]
    same = len(set(versions)) == 1
    told = on_disk(several, owners)
    return Fault(
        subject=several[0].canonical_name,
        summary=f"{name} is installed twice in {several[0].location}: {' and '.join(versions)}. Which version "
        "metadata names is up to the order of the folder, and files of both lie over one another",
        expected="one version",
        actual=" and ".join(versions),
        remedy=f"pip uninstall {name} until none is left, then install it once. Do not copy one site-packages over "
        "another (COPY --from): copy a whole environment into an empty place.",
        evidence="\n".join(
            (*(one.metadata_path for one in several), *(f"{version}: {text}" for version, text in told.items()))
        ),
        note=same and {one.kind for one in several} == {"dist-info", "egg-info"},
    )


def _hidden(one: Hidden, facts: Facts) -> Fault:
    winner, hidden = one.winner, one.hidden
    others = " and ".join(f"{other.version} in {other.location}" for other in hidden)
    harmful = is_outside(winner, facts.inventory.interpreter) and one.is_older
    return Fault(
        subject=winner.canonical_name,
        summary=f"{winner.name} {winner.version} in {winner.location} hides {others}: the folder that comes first on "
        "sys.path wins",
        expected=hidden[0].version if harmful else "",
        actual=winner.version,
        remedy="Set PYTHONNOUSERSITE=1 or another HOME where it is a user's own site-packages, take the folder out of "
        "PYTHONPATH where it is named there, or uninstall one of the two."
        if harmful
        else f"Nothing is to be done if {winner.version} is meant; otherwise uninstall it.",
        evidence="\n".join(other.metadata_path for other in (winner, *hidden)),
        identity=f"{winner.version} hides {', '.join(other.version for other in hidden)}",
        note=not harmful,
    )


def _replaced(owners: FileOwners) -> Iterator[Fault]:
    """A package manager still lists what pip replaced: it will not know, and may overwrite it again."""
    for package in owners.files.owners:
        found = owners.replaced_by(package)
        if found is None or not (package.missing_count or package.altered_count):
            continue
        yield Fault(
            subject=found.canonical_name,
            summary=f"{package.kind} lists {package.name} {package.version}, and {found.name} {found.version} was "
            "installed over it: its list no longer holds",
            actual=f"{found.version} over {package.kind}'s {package.version}",
            remedy=f"Install {found.name} with {package.kind} alone, or remove {package.kind}'s first.",
            evidence=f"{package.missing_count:,} of its files are missing, {package.altered_count:,} are others",
            note=True,
        )


def _leftovers(owners: FileOwners) -> Iterator[Fault]:
    for path in owners.files.leftovers:
        folder, _, name = path.rpartition("/")
        yield Fault(
            subject=name,
            summary=f"{name} in {folder} is what an interrupted pip left of a distribution it was replacing",
            actual=path,
            remedy=f"Delete {path}, in the step that made it: it takes space, and pip warns of it.",
            identity="leftover",
            note=True,
        )


CHECK = Check(
    code="IC106",
    name="duplicate-metadata",
    summary="A distribution is there twice",
    needs=Needs.FILES,
    applies=lambda _contract: True,
    judge=judge,
)

"""IC202: a file that a distribution lists is not there."""

from __future__ import annotations

from collections.abc import Iterator

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.counting import verb
from imgcheck.diagnosis.file_owners import FileOwners, label_of, subject_of
from imgcheck.diagnosis.file_roles import is_needed
from imgcheck.diagnosis.requirements import label
from imgcheck.facts.files import OwnerFiles
from imgcheck.facts.model import Facts
from imgcheck.outcome import Fault, Judgement

_SHOWN = 10
_IDLE = "tests and documentation"


def judge(_contract: Contract, facts: Facts) -> Judgement:
    owners = FileOwners.of(facts)
    holed = [one for one in owners.judged if one.missing_count]
    over = {
        "cannot be read by this user": sum(one.unreadable for one in owners.judged),
        "sources of which only the bytecode is there": sum(one.sourceless for one in owners.judged),
    }
    return Judgement(
        examined=sum(one.listed - one.unreadable - one.sourceless for one in owners.judged),
        unit="files",
        faults=(
            *(_missing(one, needed) for one in holed if (needed := _needed(one))),
            *_idle([one for one in holed if not _needed(one)]),
            *_without_record(owners),
        ),
        passed_over=tuple((reason, count) for reason, count in over.items() if count),
    )


def _needed(owner: OwnerFiles) -> tuple[str, ...]:
    """What a program may need; of a list that was cut off, all of it."""
    if owner.missing_count > len(owner.missing):
        return owner.missing
    return tuple(path for path in owner.missing if is_needed(path))


def _missing(owner: OwnerFiles, needed: tuple[str, ...]) -> Fault:
    who, name = label_of(owner), owner.name
    count = owner.missing_count if owner.missing_count > len(owner.missing) else len(needed)
    more = (f"… and {count - _SHOWN:,} more",) if count > _SHOWN else ()
    return Fault(
        subject=subject_of(owner),
        summary=f"{count:,} of {owner.listed:,} files of {who} {verb(count, 'is', 'are')} missing, such as {needed[0]}",
        expected=f"the files that {_list_of(owner)} names",
        actual=f"{count:,} missing",
        remedy=f"Reinstall {name} (pip install --force-reinstall --no-deps {name}=={owner.version}), and find the step "
        "that deletes files, or that uninstalled a distribution which shared them.",
        evidence="\n".join((*needed[:_SHOWN], *more)),
        details=needed,
        identity=f"{owner.version} lacks files",
    )


def _list_of(owner: OwnerFiles) -> str:
    return "RECORD" if owner.kind == "record" else owner.metadata_path.rpartition("/")[2]


def _idle(owners: list[OwnerFiles]) -> Iterator[Fault]:
    """Tests, headers, stubs, licences: deleted to slim an image, and nothing that runs needs them."""
    if owners:
        count = sum(one.missing_count for one in owners)
        yield Fault(
            subject=_IDLE,
            summary=f"{count:,} files of {len(owners):,} distributions are missing that are {_IDLE}, translations, "
            "headers or stubs",
            actual=f"{len(owners):,} distributions",
            remedy="Nothing is to be done if they were deleted to slim the image.",
            details=tuple(sorted(subject_of(one) for one in owners)),
            identity=_IDLE,
            note=True,
        )


def _without_record(owners: FileOwners) -> Iterator[Fault]:
    for metadata in owners.files.without_list:
        one = owners.by_metadata.get(metadata)
        if one is None or metadata in owners.packaged or one.kind == "egg-link" or one.unreadable_files:
            continue
        if owners.files.unlisted or one.location not in owners.files.roots:
            continue
        yield Fault(
            subject=one.canonical_name,
            summary=f"{label(one)} has no {'RECORD' if one.kind == 'dist-info' else 'list of its files'}: "
            "what should be there cannot be told",
            expected=f"RECORD in {metadata}",
            actual="no list of its files",
            remedy=f"Reinstall {one.name} with pip or uv, which write RECORD; pip cannot uninstall it as it is.",
            unverified=True,
        )


CHECK = Check(
    code="IC202",
    name="missing-file",
    summary="A file that a distribution lists is not there",
    needs=Needs.FILES,
    applies=lambda _contract: True,
    judge=judge,
)

"""IC204: a file is not the one that its distribution lists: another size or another hash."""

from __future__ import annotations

from collections.abc import Iterator

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.counting import verb
from imgcheck.diagnosis.file_owners import FileOwners, label_of, subject_of
from imgcheck.diagnosis.known_files import REWRITTEN_FILES
from imgcheck.facts.files import AlteredFile, OwnerFiles
from imgcheck.facts.model import Facts
from imgcheck.outcome import Fault, Judgement

_SHOWN = 10


def judge(_contract: Contract, facts: Facts) -> Judgement:
    owners = FileOwners.of(facts).judged
    over = {
        "only their sizes were compared (--deep hashes them), or listed without a hash": sum(
            one.unhashed for one in owners
        ),
        "scripts whose first line was rewritten": sum(one.rewritten for one in owners),
        "cannot be read by this user": sum(one.unreadable for one in owners),
    }
    by_size = sum(file.by == "size" for one in owners for file in one.altered)
    return Judgement(
        examined=sum(one.hashed for one in owners) + by_size,
        unit="files",
        faults=tuple(fault for one in owners if one.altered for fault in _faults(one)),
        passed_over=tuple((reason, count) for reason, count in over.items() if count),
    )


def _faults(owner: OwnerFiles) -> Iterator[Fault]:
    """What administrators change on purpose is a note of its own."""
    meant = tuple(one for one in owner.altered if one.path.rpartition("/")[2] in REWRITTEN_FILES)
    others = tuple(one for one in owner.altered if one not in meant)
    if others:
        yield _altered(owner, others, owner.altered_count - len(meant))
    for one in meant:
        yield Fault(
            subject=subject_of(owner),
            summary=f"{one.path} of {label_of(owner)} {_how(one)}: "
            f"{REWRITTEN_FILES[one.path.rpartition('/')[2]].partition(' (')[0]}",
            actual=_how(one),
            remedy="Nothing is to be done if it is meant; the next version of the distribution brings its own again.",
            identity=f"{one.path} rewritten",
            note=True,
        )


def _altered(owner: OwnerFiles, files: tuple[AlteredFile, ...], count: int) -> Fault:
    first = files[0]
    more = (f"… and {count - _SHOWN:,} more",) if count > _SHOWN else ()
    return Fault(
        subject=subject_of(owner),
        summary=f"{count:,} of {owner.listed:,} files of {label_of(owner)} {verb(count, 'was', 'were')} changed after "
        f"the installation: {first.path} {_how(first)}",
        expected="the sizes and hashes that were recorded",
        actual=f"{count:,} changed",
        remedy="Find the step that changes them: a RUN sed, a COPY over site-packages, or another distribution with "
        f"the same file. To go back: pip install --force-reinstall --no-deps {owner.name}=={owner.version}.",
        evidence="\n".join((*(f"{one.path}: {_how(one)}" for one in files[:_SHOWN]), *more)),
        details=tuple(one.path for one in files),
        identity=f"{owner.version} altered",
    )


def _how(file: AlteredFile) -> str:
    if file.by == "size":
        return "is empty" if not file.size else f"has {file.size:,} bytes, {file.recorded:,} are recorded"
    return "has another hash than is recorded"


CHECK = Check(
    code="IC204",
    name="altered-file",
    summary="A file is not the one that its distribution lists",
    needs=Needs.FILES,
    applies=lambda _contract: True,
    judge=judge,
)

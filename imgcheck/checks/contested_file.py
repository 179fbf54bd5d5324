"""IC203: two distributions own one file, and what is there is one's and not the other's."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.utils import canonicalize_name

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.counting import counted, verb
from imgcheck.diagnosis.file_owners import FileOwners
from imgcheck.diagnosis.file_roles import Role, role_of
from imgcheck.facts.files import ContestedFile, ContestedFiles
from imgcheck.facts.model import Facts
from imgcheck.outcome import Fault, Judgement

_SHOWN = 10


def judge(_contract: Contract, facts: Facts) -> Judgement:
    owners = FileOwners.of(facts)
    groups = [one for one in owners.files.contested if len(set(map(canonicalize_name, one.names))) > 1]
    untold = sum(one.untold for one in groups)
    return Judgement(
        examined=sum(one.listed for one in owners.judged) - untold,
        unit="files",
        faults=tuple(fault for one in groups for fault in _contested(one, owners)),
        passed_over=(("owned by several and not hashed", untold),) if untold else (),
    )


def _contested(group: ContestedFiles, owners: FileOwners) -> Iterator[Fault]:
    names = [owners.label(one) for one in group.owners]
    subject = ", ".join(sorted(set(map(canonicalize_name, group.names))))
    harmful = tuple(one for one in group.different if _is_code(one))
    if harmful or group.different_count > len(group.different):
        yield _different(subject, names, group, harmful, owners)
        return
    idle = f", {group.different_count:,} of them with other contents that no program reads" if group.different else ""
    yield Fault(
        subject=subject,
        summary=f"{' and '.join(names)} own {counted(group.files, 'file')} together{idle}: to "
        "uninstall one breaks the other",
        actual=f"{group.files:,} files, {group.same:,} with the same content",
        remedy="Nothing is to be done as long as they are installed, moved and removed together.",
        identity="shared files",
        note=True,
    )


def _is_code(file: ContestedFile) -> bool:
    """What a program runs or reads. An __init__ that only makes a namespace may differ; so may a test."""
    return not file.namespace and role_of(file.path) in (Role.CODE, Role.DATA)


def _wins(group: ContestedFiles, shown: tuple[ContestedFile, ...]) -> tuple[int, ...]:
    """How many of the files are as each owner has them."""
    if group.different_count > len(group.different):
        return group.won
    return tuple(sum(one.winner == owner for one in shown) for owner in group.owners)


def _different(
    subject: str, names: list[str], group: ContestedFiles, harmful: tuple[ContestedFile, ...], owners: FileOwners
) -> Fault:
    shown = harmful or group.different
    count = len(harmful) if group.different_count <= len(group.different) else group.different_count
    wins = _wins(group, shown)
    won = [f"{many:,} {verb(many, 'is', 'are')} as {name} has it" for name, many in zip(names, wins, strict=True)]
    if sum(wins) < count:
        won.append(f"{count - sum(wins):,} as none has it, or not hashed")
    lines = (f"{one.path}: {owners.label(one.winner) if one.winner else 'nobody'}'s" for one in shown[:_SHOWN])
    losers = [name for name, many in zip(names, wins, strict=True) if many < count]
    return Fault(
        subject=subject,
        summary=f"{' and '.join(names)} own the same {counted(count, 'file')} with different contents, "
        f"such as {shown[0].path}: {', '.join(won)}",
        expected="each file as its distribution has it",
        actual=f"overwritten files of {' and '.join(losers) or 'one of them'}",
        remedy=f"Keep the one whose module the code needs: uninstall {' and '.join(group.names)}, all of them, then "
        "install that one (uninstalling only the other deletes the shared files). Where a requirement brings the "
        "other, replace it.",
        evidence="\n".join(lines),
        details=tuple(one.path for one in shown),
        identity="different contents",
    )


CHECK = Check(
    code="IC203",
    name="contested-file",
    summary="Two distributions own one file, with different contents",
    needs=Needs.FILES,
    applies=lambda _contract: True,
    judge=judge,
)

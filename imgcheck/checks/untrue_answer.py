"""IC807: the image's Python told something else of its distributions than the image's layers hold."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.utils import canonicalize_name

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.counting import verb
from imgcheck.facts.model import Distribution, Facts
from imgcheck.facts.outside_model import OutsideDistribution, OutsideFacts
from imgcheck.outcome import Fault, Judgement

_SHOWN = 10
_REMEDY = (
    "Look for what changes Python as it starts: sitecustomize, usercustomize, lines of .pth files that begin with "
    "import, a changed standard library, a wrapper in Python's place. Believe the layers."
)


def judge(_contract: Contract, facts: Facts) -> Judgement:
    outside = facts.outside or OutsideFacts()
    compared = [one for one in facts.inventory.distributions if one.kind != "egg-link" and not one.problem]
    told = {outside.real.get(one.metadata_path, one.metadata_path): one for one in compared}
    held = {one.metadata_path: one for one in outside.distributions}
    mounted = set(outside.mounted)
    faults = [
        *_of_python(outside),
        *(
            fault
            for path, one in told.items()
            if one.metadata_path not in mounted
            for fault in _told(one, held.get(path), facts)
        ),
        *(_unsaid(one) for one in (*outside.distributions, *outside.hidden) if one.metadata_path not in told),
    ]
    over = (("in what is mounted while the image runs", len(mounted)),) if mounted else ()
    return Judgement(examined=len(held), unit="distributions", faults=tuple(faults), passed_over=over)


def _of_python(outside: OutsideFacts) -> Iterator[Fault]:
    if outside.script:
        yield Fault(
            subject=outside.python,
            summary=f"{outside.python} is a script: it answers in Python's place, and may answer anything",
            expected="an interpreter",
            actual="a script",
            remedy="Name the interpreter itself in the contract, as python: /opt/conda/bin/python3.11.",
        )


def _told(one: Distribution, held: OutsideDistribution | None, facts: Facts) -> Iterator[Fault]:
    if held is None:
        yield _untrue(one.name, f"{one.name} {one.version}", "nothing of it", one.metadata_path)
    elif canonicalize_name(held.name) != one.canonical_name or held.version != one.version:
        there = f"{held.name} {held.version}"
        yield _untrue(one.name, f"{one.name} {one.version}", there, one.metadata_path)
    elif held.record_digest and held.record_digest != one.record_digest:
        listed = f"{held.listed:,} files by a list with another content"
        yield _untrue(one.name, f"{one.files:,} listed files", listed, one.metadata_path)
    else:
        yield from _files(one, held, facts)


def _untrue(subject: str, told: str, held: str, path: str) -> Fault:
    return Fault(
        subject=subject,
        summary=f"the image's Python tells of {told}, and its layers hold {held} at {path}",
        expected=held,
        actual=told,
        remedy=_REMEDY,
        identity=path,
    )


def _unsaid(held: OutsideDistribution) -> Fault:
    return Fault(
        subject=held.name or held.metadata_path,
        summary=f"the layers hold {held.name} {held.version} at {held.metadata_path}, of which the image's Python "
        "says nothing",
        expected=f"{held.name} {held.version}",
        actual="nothing was told of it",
        remedy=_REMEDY,
        identity=held.metadata_path,
    )


def _files(one: Distribution, held: OutsideDistribution, facts: Facts) -> Iterator[Fault]:
    """Differences that nobody told; what was told is other checks' business."""
    known = _known(one, facts)
    if known is None:
        return
    untold = [path for path in (*held.differing, *held.missing) if path not in known]
    if untold:
        count = len(untold)
        more = (f"… and {count - _SHOWN:,} more",) if count > _SHOWN else ()
        yield Fault(
            subject=one.name,
            summary=f"{count:,} {verb(count, 'file', 'files')} of {one.name} {one.version} {verb(count, 'is', 'are')} "
            f"not as RECORD lists by the layers, and the image's Python told no such thing: {untold[0]}",
            expected="the hashes that RECORD lists",
            actual=f"{count:,} {verb(count, 'differs', 'differ')}",
            remedy="A change that kept size and time is found by --deep, too; where that finds none, Python hides it. "
            "Reinstall the distribution, and look for the step that changes it.",
            evidence="\n".join((*untold[:_SHOWN], *more)),
            identity=f"{one.version} differs",
        )


def _known(one: Distribution, facts: Facts) -> frozenset[str] | None:
    """Paths of which the collector told something; None where it was not asked, or told in numbers alone."""
    if facts.files is None:
        return None
    owners = [owner for owner in facts.files.owners if owner.metadata_path == one.metadata_path]
    whole = all(
        len(owner.missing) == owner.missing_count and len(owner.altered) == owner.altered_count for owner in owners
    )
    if not owners or not whole or any(owner.packaged for owner in owners):
        return None
    return frozenset(path for owner in owners for path in (*owner.missing, *(file.path for file in owner.altered)))


CHECK = Check(
    code="IC807",
    name="untrue-answer",
    summary="The image's Python tells something else than the image's layers hold",
    needs=Needs.OUTSIDE,
    applies=lambda _contract: True,
    judge=judge,
    inheritable=False,
)

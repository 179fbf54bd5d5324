"""IC702: built, or only resolved, again from the same files, the image would hold other distributions."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.utils import canonicalize_name

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.requirements import winners
from imgcheck.diagnosis.versions import parse_version
from imgcheck.facts.model import Distribution, Facts
from imgcheck.facts.rebuild import RebuildFacts, RebuiltOne
from imgcheck.outcome import Fault, Judgement


def judge(contract: Contract, facts: Facts) -> Judgement:
    rebuild = facts.rebuild or RebuildFacts(problem="nothing was built again")
    if rebuild.problem:
        fault = Fault(
            subject="rebuild",
            summary=f"Whether a rebuild gives the same cannot be told: {rebuild.problem}",
            actual=rebuild.problem,
            unverified=True,
        )
        return Judgement(examined=0, unit="distributions", faults=(fault,))
    here: dict[str, Distribution] = {one.canonical_name: one for one in winners(facts.inventory)}
    there: dict[str, RebuiltOne] = {canonicalize_name(one.name): one for one in rebuild.distributions}
    if rebuild.kind == "resolve":
        return _resolved(facts, rebuild, here, there)
    faults = tuple(_faults(contract, here, there))
    return Judgement(examined=len(there), unit="distributions", faults=faults)


def _resolved(
    facts: Facts, rebuild: RebuildFacts, here: dict[str, Distribution], there: dict[str, RebuiltOne]
) -> Judgement:
    """A resolution tells only of what it chose; the rest is counted, and never taken for the same."""
    base = {one.canonical_name for one in winners(facts.base)} if facts.base else set()
    beside = sorted(here.keys() - there.keys() - base)
    counts = {
        "not in the resolution: other ways brought them": len(beside),
        "install steps, or parts of them, that were not resolved": len(rebuild.left_out),
    }
    return Judgement(
        examined=len(there),
        unit="distributions",
        faults=tuple(_choices(here, there)),
        passed_over=tuple((why, count) for why, count in counts.items() if count),
    )


def _choices(here: dict[str, Distribution], there: dict[str, RebuiltOne]) -> Iterator[Fault]:
    for name, second in sorted(there.items()):
        first = here.get(name)
        if first is None:
            yield _fault(name, f"a fresh resolution brings {name} {second.version}", "not installed", second)
        elif not _same_version(first.version, second.version):
            summary = f"a fresh resolution gives {name} {second.version}, the image has {first.version}"
            yield _fault(name, summary, first.version, second)


def _same_version(one: str, other: str) -> bool:
    return one == other or (parse_version(one) is not None and parse_version(one) == parse_version(other))


def _faults(contract: Contract, here: dict[str, Distribution], there: dict[str, RebuiltOne]) -> Iterator[Fault]:
    for name in sorted(here.keys() | there.keys()):
        first, second = here.get(name), there.get(name)
        if first is None:
            yield _fault(
                name, f"a second build brings {name} {second.version if second else ''}", "not installed", second
            )
        elif second is None:
            yield _fault(name, f"a second build is without {name} {first.version}", first.version, None)
        elif first.version != second.version:
            yield _fault(
                name, f"a second build gives {name} {second.version}, the first {first.version}", first.version, second
            )
        elif name in contract.protect and not (first.record_digest and second.record_digest):
            yield _untold(name, first.version)
        elif name in contract.protect and first.record_digest != second.record_digest:
            yield _fault(
                name, f"a second build gives other files of {name} {first.version}", first.record_digest[:19], second
            )


def _untold(name: str, version: str) -> Fault:
    return Fault(
        subject=name,
        summary=f"Whether a second build gives the same files of {name} {version} cannot be told without its RECORD",
        expected="the same RECORD in both builds",
        actual="no RECORD in one of them",
        remedy=f"Install {name} from a wheel, or take it out of protect.",
        unverified=True,
    )


def _fault(name: str, summary: str, first: str, second: RebuiltOne | None) -> Fault:
    return Fault(
        subject=name,
        summary=f"{summary[0].upper()}{summary[1:]}",
        expected=first,
        actual=second.version if second else "not installed",
        remedy="Install from a lock: imgcheck lock requirements.in -c CONTRACT -o requirements.txt.",
        identity="rebuild differs",
        blame=(name,),
    )


CHECK = Check(
    code="IC702",
    name="changed-rebuild",
    summary="A rebuild from the same files gives other distributions",
    needs=Needs.REBUILD,
    applies=lambda _contract: True,
    judge=judge,
    inheritable=False,
)

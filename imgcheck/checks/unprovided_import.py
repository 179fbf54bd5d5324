"""IC308: a module imports, at its top and under no condition, what nothing installed provides."""

from __future__ import annotations

from collections import Counter

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract, Imports
from imgcheck.diagnosis.naming import is_stranger, top_names
from imgcheck.diagnosis.providing import BROKEN, BROKEN_IF_STRICT, NOTED, Lack, lacks_of
from imgcheck.diagnosis.requirements import label, winners
from imgcheck.diagnosis.world import World, world_of
from imgcheck.facts.model import Distribution, Facts
from imgcheck.outcome import Cause, Fault, Judgement


def judge(contract: Contract, facts: Facts) -> Judgement:
    if facts.statements is None:
        return Judgement(examined=0, unit="source files")
    strict = (contract.import_options or Imports()).strict
    breaking = BROKEN | BROKEN_IF_STRICT if strict else BROKEN
    world, told = world_of(facts), breaking | NOTED
    lacks = list(lacks_of(facts, world))
    over = Counter(f"imports {one.standing.value}" for one in lacks if one.standing not in told)
    over["sources that could not be read"] += facts.statements.unread
    return Judgement(
        examined=facts.statements.read,
        unit="source files",
        faults=(
            *(_fault(world, one, note=one.standing not in breaking) for one in lacks if one.standing in told),
            *(_stranger(one) for one in winners(facts.inventory) if is_stranger(one)),
        ),
        passed_over=tuple((reason, count) for reason, count in sorted(over.items()) if count),
    )


def _fault(world: World, lack: Lack, *, note: bool) -> Fault:
    name, asker, stand_in = lack.statement.name, world.label(lack.asker), lack.stand_in
    promised = f"{label(stand_in)}, which is installed, does not provide it" if stand_in else "nothing installed has it"
    remedy = f"Install what provides {name}, and let {lack.asker} require it."
    if stand_in:
        remedy = (
            f"Choose a version of {stand_in.name} that has {name}, or a version of {lack.asker} that goes without it; "
            f"the name {stand_in.name} may belong to another project on the index."
        )
    return Fault(
        subject=f"{lack.asker} -> {name}",
        summary=f"{asker} imports {name}, and {promised}",
        expected=lack.need.sentence if lack.need else f"an installed distribution that provides {name}",
        actual=f"{label(stand_in)} holds {top_names(stand_in)}" if stand_in else lack.standing.value,
        remedy=remedy,
        cause=Cause(requirement=lack.need.sentence if lack.need else ""),
        evidence="\n".join(f"{site.file}:{site.line}: {site.module} imports {name}" for site in lack.sites),
        identity=f"{lack.standing.name} {stand_in.version if stand_in else ''}",
        note=note,
    )


def _stranger(one: Distribution) -> Fault:
    return Fault(
        subject=one.canonical_name,
        summary=f"{label(one)} holds no module of its name, but {top_names(one)}",
        expected=f"a module that {one.name} is imported by",
        actual=f"holds {top_names(one)}",
        remedy=f"See that {one.name} on the index is the project that you mean: the name may belong to another one.",
        note=True,
    )


CHECK = Check(
    code="IC308",
    name="unprovided-import",
    summary="A module imports what nothing installed provides",
    needs=Needs.STATEMENTS,
    applies=lambda contract: bool(contract.imports),
    judge=judge,
)

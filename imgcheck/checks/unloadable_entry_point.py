"""IC306: an entry point names a module or an attribute that is not there, or is a command that cannot start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from functools import cached_property

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract, Imports
from imgcheck.diagnosis.causes import Cause, causes_of
from imgcheck.diagnosis.contents import is_editable, module_owners
from imgcheck.diagnosis.reasons import Reason
from imgcheck.diagnosis.requirements import label, winners
from imgcheck.diagnosis.sweep import verdicts_of
from imgcheck.diagnosis.wording import first_line, provider_of, traceback_of
from imgcheck.diagnosis.world import world_of
from imgcheck.facts.model import Distribution, Facts
from imgcheck.facts.surroundings import EntryPointFacts, Surroundings
from imgcheck.outcome import Fault, Judgement

_SCRIPTS = frozenset({"console_scripts", "gui_scripts"})
_KEPT, _ABSENT, _UNBOUND, _DEAD = "kept", "absent", "unbound", "dead"
_FAILS = "name a module that cannot be imported, which unimportable-module tells"
_UNTOLD = "name an attribute that its module makes as it runs"
_NOT_SWEPT = "name a module that was not imported"


def judge(contract: Contract, facts: Facts) -> Judgement:
    known = facts.surroundings or Surroundings()
    owners = {one.metadata_path: one for one in winners(facts.inventory)}
    world = _World(contract, facts)
    judged = [
        (one, world.verdict(one, owners[one.distribution])) for one in known.entry_points if one.distribution in owners
    ]
    counts = Counter(verdict for _, verdict in judged)
    alive = {one.distribution for one, told in judged if one.group in _SCRIPTS and told in (_KEPT, _UNTOLD)}
    return Judgement(
        examined=sum(counts[one] for one in (_KEPT, _ABSENT, _UNBOUND, _DEAD)),
        unit="entry points",
        faults=(
            *(_fault(one, owners[one.distribution], told) for one, told in judged if told in (_ABSENT, _UNBOUND)),
            *(_dead(one, owners[one.distribution], world, alive) for one, told in judged if told == _DEAD),
        ),
        passed_over=tuple((reason, counts[reason]) for reason in (_FAILS, _UNTOLD, _NOT_SWEPT) if counts[reason]),
    )


class _World:
    """What is known of modules: where sys.path leads, who has which, what their imports did."""

    def __init__(self, contract: Contract, facts: Facts) -> None:
        self._contract = contract
        self._facts = facts
        self._owners = module_owners(facts.inventory)
        self._statuses = {one.module: one.status for one in facts.imports.modules} if facts.imports else None

    @cached_property
    def undeclared(self) -> Mapping[str, Cause]:
        """Modules that fail for want of one that nobody declares."""
        options = self._contract.import_options or Imports()
        causes = causes_of(world_of(self._facts), verdicts_of(self._contract, self._facts), options)
        return {name: one for one in causes if one.diagnosis.reason is Reason.UNDECLARED for name in one.modules}

    def verdict(self, one: EntryPointFacts, owner: Distribution) -> str:
        if not one.found and one.module not in self._owners:
            return _UNTOLD if is_editable(owner) and owner.modules else _ABSENT
        if one.binds is False:
            return _UNBOUND
        if self._statuses is not None:
            status = self._statuses.get(one.module)
            if status is None and self._owners.get(one.module) != "python":
                return _NOT_SWEPT
            if status not in (None, "ok"):
                command = one.group in _SCRIPTS and "[" not in one.value
                return _DEAD if command and one.module in self.undeclared else _FAILS
        return _UNTOLD if one.binds is None else _KEPT


def _fault(one: EntryPointFacts, owner: Distribution, verdict: str) -> Fault:
    kind = f"the command {one.name}" if one.group in _SCRIPTS else f"the entry point {one.name} ({one.group})"
    attribute = one.value.partition("[")[0].partition(":")[2].strip()
    lacks = (
        f"names the module {one.module}, which nothing in the image has"
        if verdict == _ABSENT
        else f"names {attribute} in {one.module}, and {one.found} does not define it"
    )
    return Fault(
        subject=owner.canonical_name,
        summary=f"{kind[0].upper()}{kind[1:]} of {label(owner)} {lacks}",
        expected=one.value,
        actual="no such module" if verdict == _ABSENT else "no such attribute",
        remedy=f"Reinstall {owner.name}; if it stays the release is at fault: choose another version. Whoever loads "
        f"the group {one.group} fails on it.",
        evidence=one.found,
        identity=f"{one.group} {one.name} {one.value}",
    )


def _dead(one: EntryPointFacts, owner: Distribution, world: _World, alive: Collection[str]) -> Fault:
    """What no extra would bring is not optional for a command: it ends with the exception.

    Where the distribution has others that start, it may be for those who have more.
    """
    cause = world.undeclared[one.module]
    wanted = cause.diagnosis.wanted
    return Fault(
        subject=owner.canonical_name,
        summary=f"The command {one.name} of {label(owner)} cannot start: {one.module} needs {wanted}, which nothing "
        "installed provides or requires",
        expected=one.value,
        actual=first_line(cause.diagnosis.error),
        remedy=f"Install {provider_of(wanted)}. {owner.name} does not declare it; another version may.",
        evidence=traceback_of(cause),
        identity=f"{one.group} {one.name} {wanted}",
        note=one.distribution in alive,
    )


CHECK = Check(
    code="IC306",
    name="unloadable-entry-point",
    summary="An entry point names a module or an attribute that is not there",
    needs=Needs.SURROUNDINGS,
    applies=lambda _contract: True,
    judge=judge,
)

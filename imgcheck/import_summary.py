"""What a run of the import sweep says, or a part of it, without a contract: a frozen value made from facts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from packaging.utils import canonicalize_name

from imgcheck.diagnosis.ownership import PYTHON, Owners, owners_of
from imgcheck.errors import ExitCode
from imgcheck.facts.model import Facts, ModuleFacts
from imgcheck.outcome import Remark, Source
from imgcheck.remarks import remarks_of, slowest

SLOWEST: Final = 15
_NOBODY: Final = "no distribution"


@dataclass(frozen=True, kw_only=True)
class DistributionCount:
    """How many modules of a distribution could be imported."""

    name: str
    version: str
    imported: int
    failed: int


@dataclass(frozen=True, kw_only=True)
class Failures:
    """Modules that fail with the same words.

    Args:
        below: how many more fail because a package among `modules` does.
    """

    status: str
    error: str
    modules: tuple[ModuleFacts, ...]
    below: int = 0


@dataclass(frozen=True, kw_only=True)
class ImportSummary:
    """The whole answer of `imgcheck imports`.

    Args:
        asked: what was named; everything if nothing.
        modules: a verdict for each, by name.
        left_out: groups that were not asked for.
        failures: the largest group first.
        loads: what each story loaded, by distribution, the most first.
    """

    image: str
    digest: str
    asked: tuple[str, ...]
    modules: tuple[ModuleFacts, ...]
    distributions: tuple[DistributionCount, ...]
    failures: tuple[Failures, ...]
    slowest: tuple[ModuleFacts, ...]
    remarks: tuple[Remark, ...] = ()
    loads: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    sources: tuple[Source, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def statuses(self) -> Counter[str]:
        return Counter(one.status for one in self.modules)

    @property
    def exit_code(self) -> ExitCode:
        """Worst first: a module that fails is told even where nothing could be told of another."""
        failed = {status for status, count in self.statuses.items() if count} - {"ok"}
        if failed - {"lost"}:
            return ExitCode.BROKEN
        return ExitCode.CHECK_ERROR if failed else ExitCode.KEPT if self.modules else ExitCode.NOTHING_CHECKED


def summarise(
    facts: Facts, asked: tuple[str, ...] = (), sources: Sequence[Source] = (), notices: Sequence[str] = ()
) -> ImportSummary:
    """Counts and groups; no fact is left out of `modules`."""
    imports = facts.imports
    modules = imports.modules if imports else ()
    return ImportSummary(
        image=facts.image.reference,
        digest=facts.image.digest,
        asked=asked,
        modules=modules,
        distributions=_by_distribution(facts, modules),
        failures=_failures(modules),
        slowest=tuple(slowest(modules, SLOWEST)),
        remarks=remarks_of(imports),
        loads=_loads(facts, modules),
        left_out=imports.left_out if imports else {},
        cpu_seconds=imports.cpu_seconds if imports else 0.0,
        wall_seconds=imports.wall_seconds if imports else 0.0,
        sources=tuple(sources),
        notices=tuple(notices),
    )


def ending(module: ModuleFacts) -> str:
    """How an import failed, in one line."""
    if module.error is not None and module.status == "exception":
        error = module.error
        return f"{error.type}: {error.message}".partition("\n")[0].strip().removesuffix(":")
    told = {
        "exit": f"ends the process with status {module.exit_code}",
        "signal": f"is ended by {module.reason or f'signal {module.signal}'}",
        "timeout": f"takes longer than it may ({module.limit})" if module.limit else "takes longer than it may",
        "memory": "takes more memory than it may",
        "lost": f"nothing can be told: {module.reason}",
        "container": "takes down the container it is imported in",
    }
    return told.get(module.status, module.status).partition("\n")[0]


def _by_distribution(facts: Facts, modules: Sequence[ModuleFacts]) -> tuple[DistributionCount, ...]:
    """What fails most first."""
    versions = {one.canonical_name: one.version for one in reversed(facts.inventory.distributions)}
    counts: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for one in modules:
        counts[one.distribution][one.status == "ok"] += 1
    found = [
        DistributionCount(
            name=name, version=versions.get(canonicalize_name(name), ""), imported=count[True], failed=count[False]
        )
        for name, count in counts.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.failed, one.name.lower())))


def _failures(modules: Sequence[ModuleFacts]) -> tuple[Failures, ...]:
    groups: defaultdict[tuple[str, str], list[ModuleFacts]] = defaultdict(list)
    names = {one.module for one in modules}
    for one in modules:
        if one.status != "ok":
            groups[one.status, ending(one)].append(one)
    found = []
    for (status, error), group in groups.items():
        roots = tuple(one for one in group if one.inherited_from not in names)
        found.append(Failures(status=status, error=error, modules=roots, below=len(group) - len(roots)))
    return tuple(sorted(found, key=lambda one: (-len(one.modules) - one.below, one.error)))


def _loads(facts: Facts, modules: Sequence[ModuleFacts]) -> dict[str, tuple[tuple[str, int], ...]]:
    stories = {one.module: one.loaded for one in modules if one.loaded is not None}
    if not stories:
        return {}
    owners = owners_of(facts)
    versions = {one.canonical_name: one.version for one in reversed(facts.inventory.distributions)}
    return {name: _by_owner(owners, versions, loaded) for name, loaded in stories.items()}


def _by_owner(owners: Owners, versions: Mapping[str, str], loaded: Sequence[str]) -> tuple[tuple[str, int], ...]:
    counts = Counter(owners.of_module(name) for name in loaded)
    return tuple((_label(owner, versions), count) for owner, count in counts.most_common())


def _label(owner: str, versions: Mapping[str, str]) -> str:
    if owner == PYTHON:
        return "Python itself"
    return f"{owner} {versions.get(owner, '')}".strip() if owner else _NOBODY

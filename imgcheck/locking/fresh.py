"""What a fresh resolution of a build's install steps would choose today, in the order of the steps.

As pip does it, each step keeps what is there already: the base's own, and what the steps before it brought.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from imgcheck.errors import ImgcheckError, ResolverTimeoutError
from imgcheck.facts.plan import Install
from imgcheck.facts.rebuild import RebuildFacts, RebuiltOne
from imgcheck.locking.attempting import RESOLVERS, Trial
from imgcheck.locking.lockfile import Entry, Lock, parse_lock
from imgcheck.locking.resolving import preferring
from imgcheck.locking.steps import asking_of


def freshly_resolved(trial: Trial, installs: Sequence[Install]) -> RebuildFacts:
    """The versions that the steps would bring; one that has no solution leaves the whole untold."""
    until = time.monotonic() + trial.seconds
    chosen: dict[str, Entry] = {}
    left_out: list[str] = []
    with trial.progress.step(f"Resolving afresh what was installed, in {trial.base.reference}"):
        for install in installs:
            why = _cannot(install)
            if why:
                left_out.append(f"{install.place}: {why}")
                continue
            try:
                found = _of_step(trial, install, chosen.values(), until, left_out)
            except ResolverTimeoutError:
                return RebuildFacts(kind="resolve", problem=f"it was not resolved within {trial.seconds:g} s")
            except ImgcheckError as error:
                return RebuildFacts(kind="resolve", problem=f"{install.place}: {error.message}")
            if found is None:
                return RebuildFacts(kind="resolve", problem=f"{install.place}: there is no solution today")
            chosen |= {one.name: one for one in found}
    distributions = tuple(RebuiltOne(name=one.name, version=one.version) for one in chosen.values() if one.version)
    return RebuildFacts(kind="resolve", distributions=distributions, left_out=tuple(left_out))


def _cannot(install: Install) -> str:
    if install.tool not in RESOLVERS:
        return f"{install.verb} has a resolver of its own"
    if not install.on_base:
        return "its stage is not the base's"
    if "--no-deps" in install.options:
        return "it installs without looking at requirements"
    return "" if install.wanted else "what it asks for is not known"


def _of_step(
    trial: Trial, install: Install, before: Iterable[Entry], until: float, left_out: list[str]
) -> tuple[Entry, ...] | None:
    """What one step chooses; None where it has no solution."""
    bench, arguments = trial.bench(install, until)
    names = [one.name for one in install.wanted if one.name] if "--upgrade" in install.options else []
    asking = asking_of(
        [install],
        "" if install.bypass else trial.constraints,
        seed=preferring(trial.inventory, Lock(entries=tuple(before))),
        arguments=(*arguments, *(word for name in names for word in ("--upgrade-package", name))),
    )
    left_out.extend(asking.left_out)
    if not asking.asked:
        return ()
    answer = bench.resolve(asking.question)
    return parse_lock(answer.text).entries if answer.solved else None

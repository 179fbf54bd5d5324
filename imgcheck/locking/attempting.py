"""Whether what install steps ask for can be met at all: resolved in the base, under the contract, before it is built.

Steps that look in the same places are resolved together first: what has a solution together has one alone. Only where
there is none is each resolved by itself. Whatever keeps that from being told is said, and never counted as a pass.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from imgcheck.build.refusals import refusal_of
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.installing import subject_of
from imgcheck.engines.engine import Engine
from imgcheck.errors import ImgcheckError, ResolverTimeoutError
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.model import ImageFacts, Inventory
from imgcheck.facts.plan import Attempt, Install, Place
from imgcheck.locking.answers import raise_unanswered, words
from imgcheck.locking.explaining import Case, Told, explain
from imgcheck.locking.index import index_for
from imgcheck.locking.lockfile import Lock
from imgcheck.locking.resolving import Bench, Question, Resolution, preferring
from imgcheck.locking.sources import Sources
from imgcheck.locking.steps import Asking, asking_of
from imgcheck.locking.tools import Resolver, compiled_at, tools_for
from imgcheck.outcome import Location
from imgcheck.progress import Progress

SECONDS: Final = 120.0
"""What the resolutions of one build may take together, unless told otherwise."""
_LOG: Final = 60_000
"""Characters of a resolver's words that are kept: the error comes first in them."""
RESOLVERS: Final[dict[str, Resolver]] = {"pip": "pip-tools", "uv pip": "uv"}
_LOST_LINKS: Final = re.compile(r"Location '([^']*)' is ignored")
_IMPOSSIBLE: Final = re.compile(r"ResolutionImpossible|conflicting dependencies|No solution found when resolving")
_ABSENT: Final = re.compile(
    r"No matching distribution found|there (?:is|are) no versions? of|was not found in the (?:package|provided)"
)


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A base under its contract, and how resolutions may be made in it.

    Args:
        known: where it is kept which questions had a solution; None where each is to be asked again.
        seconds: what all of them may take together.
    """

    engine: Engine
    base: ImageFacts
    inventory: Inventory
    contract: Contract
    constraints: str
    sources: Sources
    progress: Progress
    known: FactsCache | None = None
    tools_folder: Path | None = None
    network: str = "bridge"
    seconds: float = SECONDS

    def bench(self, install: Install, until: float) -> tuple[Bench, tuple[str, ...]]:
        """Where an install's kind is resolved, and what its resolver is told besides.

        Raises:
            RegistryOutOfReachError: the resolver itself cannot be fetched.
            UsageError: there is none for the base's Python.
        """
        resolver = RESOLVERS[install.tool]
        sources, arguments = index_for(install.index, self.sources, resolver)
        tools = tools_for(self.inventory, resolver, self.tools_folder)
        python = self.inventory.interpreter.executable
        bench = Bench(
            engine=self.engine,
            base=self.base,
            inventory=self.inventory,
            python=python,
            resolver=resolver,
            tools=tools,
            compiled=compiled_at(self.base.digest, python, tools, self.tools_folder),
            sources=sources,
            network=self.network,
            on_line=lambda line: self.progress.advance(0, note=line.strip()[:80]),
            until=until,
        )
        return bench, (*arguments, *(("--verbose",) if resolver == "pip-tools" else ()))


def is_resolvable(install: Install) -> bool:
    """Whether an install resolves under the constraints at all."""
    held = install.tool in RESOLVERS and install.on_base and not install.bypass
    return held and "--no-deps" not in install.options and bool(install.wanted)


def attempts(trial: Trial, installs: Sequence[Install]) -> tuple[Attempt, ...]:
    """One for each install that resolves under the constraints, or one for each conflict of it."""
    until = time.monotonic() + trial.seconds
    groups: defaultdict[object, list[Install]] = defaultdict(list)
    for one in installs:
        if is_resolvable(one):
            groups[one.tool, one.index].append(one)
    if not groups:
        return ()
    with trial.progress.step(f"Resolving what is to be installed, in {trial.base.reference}"):
        return tuple(attempt for group in groups.values() for attempt in _of_group(trial, group, until))


def untried(installs: Sequence[Install], why: str) -> tuple[Attempt, ...]:
    """What is told of installs where nothing could be resolved at all."""
    return tuple(_untold(one, why) for one in installs if is_resolvable(one))


def _of_group(trial: Trial, group: Sequence[Install], until: float) -> Iterator[Attempt]:
    """Of installs that look in the same places."""
    unknown = group[0].index.unknown
    try:
        bench, arguments = trial.bench(group[0], until)
    except ImgcheckError as error:
        yield from (_untold(one, error.message) for one in group)
        return
    if unknown:
        yield from (_untold(one, f"its {unknown[0]} is settled only by running it") for one in group)
        return
    with bench.kept_open():
        yield from _resolved(trial, bench, group, arguments)


def _resolved(trial: Trial, bench: Bench, group: Sequence[Install], arguments: tuple[str, ...]) -> Iterator[Attempt]:
    seed = preferring(trial.inventory, Lock(entries=()))
    if len(group) > 1:
        together = asking_of(group, trial.constraints, seed=seed, arguments=arguments)
        with suppress(ImgcheckError):  # each alone tells why
            answer, since = _answer(trial, bench, together.question)
            if answer.solved:
                yield from (_solved(one, asking_of([one], "").left_out, since) for one in group)
                return
    for one in group:
        asking = asking_of([one], trial.constraints, seed=seed, arguments=arguments)
        yield from _alone(trial, bench, one, asking)


def _alone(trial: Trial, bench: Bench, install: Install, asking: Asking) -> Iterator[Attempt]:
    if not asking.asked:
        yield _untold(install, f"nothing of it can be resolved here: {'; '.join(asking.left_out)}")
        return
    try:
        answer, since = _answer(trial, bench, asking.question)
        if answer.solved:
            yield _solved(install, asking.left_out, since)
        else:
            case = Case(bench=bench, question=asking.question, contract=trial.contract, asked=asking.asked)
            yield from _unsolved(case, install, answer)
    except ResolverTimeoutError:
        yield _untold(install, f"it was not resolved within {trial.seconds:g} s")
    except ImgcheckError as error:
        yield _untold(install, error.message, error.details)


def _answer(trial: Trial, bench: Bench, question: Question) -> tuple[Resolution, str]:
    """The answer, and since when it is known that there is a solution: one that was found stays one.

    Raises:
        CollectorError: the container gives no whole answer, or not in time.
    """
    key = {"job": "resolution", "image": trial.base.digest, "question": bench.mark_of(question)}
    entry = trial.known.find(key) if trial.known else None
    if entry is not None:
        return Resolution(solved=True, text="", log=""), entry.collected_at
    began = time.monotonic()
    answer = bench.resolve(question)
    if answer.solved and trial.known:
        trial.known.keep(key, {"solved": True}, time.monotonic() - began)
    return answer, ""


def _unsolved(case: Case, install: Install, answer: Resolution) -> Iterator[Attempt]:
    """Why there is no solution.

    Raises:
        ImgcheckError: no index answered, or a certificate is not trusted.
    """
    lost = next((place for place in _LOST_LINKS.findall(answer.log) if place in _links_of(install)), None)
    if lost:
        yield _untold(install, f"{lost}, where it finds links, is not in the base")
        return
    explanation = explain(case, answer, ways=True)
    if explanation is not None:
        yield from (_conflict(install, told) for told in explanation.told)
        return
    raise_unanswered(answer.log)
    said = words(answer.log)
    if _IMPOSSIBLE.search(answer.log) and not _ABSENT.search(answer.log):
        contradiction = "its requirements contradict each other, whatever the contract pins"
        yield Attempt(place=install.place, subject=subject_of(install), message=contradiction, log=said[:_LOG])
        return
    refusal = refusal_of(answer.log)
    why = refusal.message if refusal else "the resolver gave up"
    yield _untold(install, f"{why} (the build may look in another index)", said)


def _links_of(install: Install) -> frozenset[str]:
    """Where it finds links: pip says the same words of an index on disk that has no page of a name."""
    options = [value for name, values in install.index.options if name == "--find-links" for value in values]
    variables = [value for name, value in install.index.variables if name == "PIP_FIND_LINKS"]
    return frozenset([*options, *(part for value in variables for part in value.split())])


def _solved(install: Install, left_out: tuple[str, ...], since: str) -> Attempt:
    return Attempt(place=install.place, subject=subject_of(install), left_out=left_out, known_since=since)


def _untold(install: Install, why: str, log: str = "") -> Attempt:
    return Attempt(place=install.place, subject=subject_of(install), message=why, log=log[:_LOG], unverified=True)


def _conflict(install: Install, told: Told) -> Attempt:
    return Attempt(
        place=install.place,
        subject=told.subject,
        message=told.sentence,
        ways=told.ways,
        pin=told.pin,
        requirement=told.requirement,
        asked_at=_place(told.where),
    )


def _place(where: Location | None) -> Place | None:
    return Place(file=where.file, line=where.line or 1) if where else None

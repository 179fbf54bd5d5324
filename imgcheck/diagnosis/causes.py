"""Failed imports grouped by root cause: one cause, one fault, however many modules hang on it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from packaging.utils import canonicalize_name

from imgcheck.contract.model import Imports
from imgcheck.diagnosis.importing import diagnose
from imgcheck.diagnosis.known_modules import SIDESHOWS
from imgcheck.diagnosis.reasons import NOT_OPTIONAL_FOR_A_WHOLE, Diagnosis, Reason
from imgcheck.diagnosis.sweep import Verdicts, is_program
from imgcheck.diagnosis.world import World
from imgcheck.facts.model import ImportFailure, ModuleFacts

_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_PATH = re.compile(r"[^\s'\"(<]*/[^\s'\")>,:]*")
_Key = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Failure:
    """One module that fails, and why."""

    module: ModuleFacts
    root: ModuleFacts
    error: ImportFailure
    diagnosis: Diagnosis


@dataclass(frozen=True, kw_only=True)
class Cause:
    """Failures with one root.

    Args:
        required: the contract names one of the modules.
        asked_for: the installer was given the asker's name (REQUESTED, PEP 376).
    """

    failures: tuple[Failure, ...]
    required: bool = False
    asked_for: bool = False

    @property
    def diagnosis(self) -> Diagnosis:
        return self.example.diagnosis

    @property
    def example(self) -> Failure:
        """The failure that shows the root best: the shortest way to it."""
        return min(self.failures, key=lambda one: (len(one.error.frames), one.module.module))

    @property
    def subject(self) -> str:
        """The asker's first module: the same in every image that has this fault and this asker."""
        return min(one.diagnosis.place or one.root.module for one in self.failures)

    @property
    def identity(self) -> str:
        found = self.diagnosis
        return " ".join((found.reason.value, found.error.type, normalised(found.error.message)))

    @property
    def modules(self) -> tuple[str, ...]:
        return tuple(sorted(one.module.module for one in self.failures))

    @property
    def is_lone_extension(self) -> bool:
        """One compiled module inside a package, which nothing else loads when it is imported."""
        first = self.failures[0].module
        alone = len(self.failures) == 1 and "." in first.module and first.module == self.subject
        return alone and first.path.endswith((".so", ".pyd"))

    @property
    def is_private_leaf(self) -> bool:
        """One private module, which nothing else that was imported needs."""
        name = self.failures[0].module.module
        return len(self.failures) == 1 and "." in name and name.rpartition(".")[2].startswith("_")

    @property
    def is_adapter(self) -> bool:
        """Named after what it lacks and nobody requires, and not asked for: matplotlib-inline without matplotlib."""
        found = self.diagnosis
        wanted = canonicalize_name(found.wanted.partition(".")[0])
        words = found.asker.split("-")
        named_after = len(words) > 1 and wanted in words
        return found.reason is Reason.UNUSABLE and named_after and not self.asked_for

    @property
    def is_sideshow(self) -> bool:
        """Only modules that measure or show something, each below its distribution's own name."""
        return all(not SIDESHOWS.isdisjoint(one.module.module.split(".")[1:]) for one in self.failures)

    @property
    def is_vendored(self) -> bool:
        """Only modules inside another distribution's copy: its maker may have cut it, or imports it by another name."""
        return all(one.module.group == "vendored" for one in self.failures)

    @property
    def reaches_others(self) -> bool:
        """Modules of other distributions than the asker hang on it."""
        asker = self.diagnosis.asker
        return any(canonicalize_name(one.module.distribution) != asker for one in self.failures)


def causes_of(world: World, verdicts: Verdicts, options: Imports) -> tuple[Cause, ...]:
    """Every root cause, ordered by subject."""
    failures = _failures(world, verdicts)
    whole = _wholly_failing(verdicts)
    groups: defaultdict[_Key, list[Failure]] = defaultdict(list)
    for failure in _with_lost_askers(failures):
        settled = _settle(failure, whole)
        required = failure.module.module if _is_required(failure.module.module, options) else ""
        key = (*_key(settled.diagnosis), required)
        groups[key].append(settled)
    asked_for = {name for name, one in world.installed.items() if one.requested}
    causes = (
        Cause(
            failures=tuple(group),
            required=bool(key[-1]),
            asked_for=any(one.diagnosis.asker in asked_for for one in group),
        )
        for key, group in groups.items()
    )
    return tuple(sorted(causes, key=lambda one: (one.subject, one.identity)))


def normalised(message: str) -> str:
    """A message without what differs from run to run and from image to image: addresses and paths."""
    return _PATH.sub("<path>", _ADDRESS.sub("0x", message.strip()))


def _failures(world: World, verdicts: Verdicts) -> list[Failure]:
    found = []
    known: dict[str, Diagnosis] = {}
    for root, modules in verdicts.ended("exception").items():
        origin = verdicts.modules[root]
        for module in modules:
            error = (origin if module.inherited_from else module).error or module.error or _untold()
            if root not in known:
                known[root] = diagnose(world, origin, error)
            found.append(Failure(module=module, root=origin, error=error, diagnosis=known[root]))
    return found


def _untold() -> ImportFailure:
    return ImportFailure(type="Exception", message="the collector did not say which")


def _wholly_failing(verdicts: Verdicts) -> frozenset[str]:
    """Distributions of which not one module can be imported."""
    good: Counter[str] = Counter()
    for module in verdicts.modules.values():
        if not is_program(module.module):
            good[canonicalize_name(module.distribution)] += module.status == "ok"
    return frozenset(name for name, count in good.items() if name and not count)


def _settle(failure: Failure, whole: frozenset[str]) -> Failure:
    """What a whole distribution goes without is not optional for it."""
    own = canonicalize_name(failure.module.distribution)
    found = failure.diagnosis
    if own not in whole or found.reason not in NOT_OPTIONAL_FOR_A_WHOLE:
        return failure
    wanted = "" if found.reason is Reason.OTHER_PYTHON else found.wanted  # nothing brings Python 2's modules
    unusable = replace(found, reason=Reason.UNUSABLE, asker=own, place=failure.root.module, wanted=wanted)
    return replace(failure, diagnosis=unusable)


def _is_required(module: str, options: Imports) -> bool:
    return any(fnmatchcase(module, one) for one in options.require)


def _with_lost_askers(failures: list[Failure]) -> list[Failure]:
    """A wrapped exception may come without a traceback of its own; the very same one with one tells who asked."""
    known = {_words(one.diagnosis): one.diagnosis for one in failures if one.diagnosis.error is one.error}
    return [_with_asker(one, known) for one in failures]


def _with_asker(failure: Failure, known: Mapping[_Key, Diagnosis]) -> Failure:
    found = failure.diagnosis
    lost = found.error is not failure.error and found.error.frame is None
    return replace(failure, diagnosis=known.get(_words(found), found)) if lost else failure


def _words(found: Diagnosis) -> _Key:
    return (found.error.type, normalised(found.error.message))


def _key(found: Diagnosis) -> _Key:
    """Where a culprit is known the pair is the cause; elsewhere the place is."""
    place = "" if found.culprit or found.wanted else found.place
    return (found.reason.value, *_words(found), found.asker, found.culprit, place)

"""A module that is not there: whose it would be, and whether anybody promised it."""

from __future__ import annotations

import re

from packaging.utils import canonicalize_name

from imgcheck.diagnosis.known_modules import (
    FOREIGN_MODULES,
    LEFT_OUT_STDLIB,
    PLATFORM_WORDS,
    PYTHON_2_MODULES,
    REMOVED_MODULES,
)
from imgcheck.diagnosis.ownership import PYTHON
from imgcheck.diagnosis.reasons import Diagnosis, Reason
from imgcheck.diagnosis.scene import Scene, is_import_error
from imgcheck.diagnosis.world import likely_distributions, python_minor, spellings

_NO_MODULE = re.compile(r"No module named '?([\w.]+)'?")
_NO_METADATA = re.compile(r"No package metadata was found for '?([\w.-]+)")


def missing_metadata(scene: Scene) -> Diagnosis | None:
    """importlib.metadata was asked for a distribution that is not installed, or whose dist-info was deleted."""
    found = _NO_METADATA.search(scene.error.message)
    if not found:
        return None
    wanted = canonicalize_name(found[1])
    need = scene.world.need(scene.asker, wanted)
    promised = wanted == scene.asker or (need is not None and need.applies)
    reason = Reason.MISSING_REQUIREMENT if promised else Reason.UNDECLARED
    return _diagnosis(scene, reason, wanted, culprit=wanted)


def missing_module(scene: Scene) -> Diagnosis | None:
    found = _NO_MODULE.search(scene.error.message)
    if not is_import_error(scene.error) or not found:
        return None
    wanted = scene.error.name or found[1]
    if scene.world.owners.holder_of(wanted):
        return _in_what_is_installed(scene, wanted)
    return _of_the_standard_library(scene, wanted) or _of_another_distribution(scene, wanted)


def for_another_platform(name: str) -> bool:
    words = re.split(r"[._]", name.lower())
    return not PLATFORM_WORDS.isdisjoint(words) or words[-1].startswith("msvc")


def break_between(scene: Scene, holder: str) -> Reason:
    """What it is that a distribution lacks what another one asks of it; of a pair that was made together, an oddity."""
    together = scene.world.were_made_together(scene.asker, holder)
    return Reason.OWN_ODDITY if together else Reason.VERSION_BREAK


def _in_what_is_installed(scene: Scene, wanted: str) -> Diagnosis:
    owners = scene.world.owners
    holder = owners.of_module(wanted)
    if wanted in owners.modules:
        return _diagnosis(scene, Reason.HIDDEN_MODULE, wanted, culprit=holder)
    if holder != scene.asker:
        return _diagnosis(scene, break_between(scene, holder), wanted, culprit=holder)
    if for_another_platform(wanted):
        return _diagnosis(scene, Reason.OTHER_PLATFORM, wanted)
    return _diagnosis(scene, Reason.OWN_ODDITY, wanted, culprit=holder)


def _of_the_standard_library(scene: Scene, wanted: str) -> Diagnosis | None:
    top = wanted.partition(".")[0]
    if top in FOREIGN_MODULES or (top in scene.world.owners.stdlib and for_another_platform(wanted)):
        return _diagnosis(scene, Reason.OTHER_PLATFORM, wanted)
    if top in PYTHON_2_MODULES:
        return _diagnosis(scene, Reason.OTHER_PYTHON, wanted)
    if top in REMOVED_MODULES and REMOVED_MODULES[top] <= python_minor(scene.world.python):
        meant = scene.world.is_meant_for_this_python(scene.asker)
        return _diagnosis(scene, Reason.OWN_ODDITY if meant else Reason.VERSION_BREAK, wanted, culprit=PYTHON)
    if top in LEFT_OUT_STDLIB:
        return _diagnosis(scene, Reason.LEFT_OUT_STDLIB, wanted)
    if top in scene.world.owners.stdlib:
        return _diagnosis(scene, Reason.PARTIAL_PYTHON, wanted, culprit=PYTHON)
    return None


def _of_another_distribution(scene: Scene, wanted: str) -> Diagnosis:
    """Installed and without the module, promised and not installed, promised by an extra, or promised by nobody."""
    for name in likely_distributions(wanted):
        if name in scene.world.installed:
            reason = Reason.OWN_ODDITY if name == scene.asker else break_between(scene, name)
            return _diagnosis(scene, reason, wanted, culprit=name)
    names = spellings(wanted)
    needs = [need for need in scene.world.needs.get(scene.asker, ()) if need.name in names]
    for need in scene.world.needs.get(scene.asker, ()):
        called_so = need.name in names or need.name.startswith(f"{canonicalize_name(wanted.partition('.')[0])}-")
        if need.applies and called_so and need.name not in scene.world.installed:
            return _diagnosis(scene, Reason.MISSING_REQUIREMENT, wanted, culprit=need.name)
    for need in needs:
        if need.extras:
            return _diagnosis(scene, Reason.OPTIONAL_EXTRA, wanted, culprit=need.name, extra=need.extras[0])
    return _diagnosis(scene, Reason.UNDECLARED, wanted)


def _diagnosis(scene: Scene, reason: Reason, wanted: str, *, culprit: str = "", extra: str = "") -> Diagnosis:
    return Diagnosis(
        reason=reason,
        error=scene.error,
        asker=scene.asker,
        place=scene.place,
        wanted=wanted,
        culprit=culprit,
        extra=extra,
    )

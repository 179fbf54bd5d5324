"""A module that is there and lacks a name: "cannot import name", "has no attribute", half-loaded modules."""

from __future__ import annotations

import re

from imgcheck.diagnosis.known_modules import (
    FILLED_LATER,
    FOREIGN_CONSTANT,
    FOREIGN_MODULES,
    FOREIGN_NAMES,
    PYTHON_2_NAMES,
)
from imgcheck.diagnosis.missing_module import break_between, for_another_platform
from imgcheck.diagnosis.ownership import PYTHON
from imgcheck.diagnosis.reasons import Diagnosis, Reason
from imgcheck.diagnosis.scene import Scene

_CANNOT_IMPORT = re.compile(r"cannot import name '(\w+)' from (partially initialized module )?'([\w.]+)'")
_NO_ATTRIBUTE = re.compile(r"(partially initialized )?module '([\w.]+)' has no attribute '(\w+)'")


def missing_name(scene: Scene) -> Diagnosis | None:
    found = _read(scene.error.message)
    if not found:
        return None
    module, name, partial = found
    holder = scene.world.owners.of_module(module)
    return Diagnosis(
        reason=_reason(scene, module, name, holder, partial=partial),
        error=scene.error,
        asker=scene.asker,
        place=scene.place,
        wanted=f"{module}.{name}",
        culprit=holder,
    )


def _read(message: str) -> tuple[str, str, bool] | None:
    """The module, the name it lacks, and whether it was still being loaded."""
    found = _CANNOT_IMPORT.search(message)
    if found:
        return found[3], found[1], bool(found[2])
    found = _NO_ATTRIBUTE.search(message)
    return (found[2], found[3], bool(found[1])) if found else None


def _reason(scene: Scene, module: str, name: str, holder: str, *, partial: bool) -> Reason:
    own = holder in ("", scene.asker)
    if _is_of_another_platform(scene, module, name, holder):
        return Reason.OTHER_PLATFORM
    if partial:
        return Reason.CIRCULAR if own else Reason.CIRCULAR_ACROSS
    if f"{module}.{name}" in scene.world.owners.modules and holder != PYTHON:
        return Reason.HIDDEN_MODULE
    if module in FILLED_LATER:
        return Reason.CONFIGURATION
    if holder == PYTHON or (not holder and name in PYTHON_2_NAMES.get(module, ())):
        return _of_python(scene, module, name)
    return Reason.OWN_ODDITY if own else break_between(scene, holder)


def _of_python(scene: Scene, module: str, name: str) -> Reason:
    if name in PYTHON_2_NAMES.get(module, ()):
        return Reason.OTHER_PYTHON
    if name.startswith("_"):
        return Reason.OWN_ERROR  # Python never promised it; some such names are in type stubs only
    return Reason.OWN_ODDITY if scene.world.is_meant_for_this_python(scene.asker) else Reason.VERSION_BREAK


def _is_of_another_platform(scene: Scene, module: str, name: str, holder: str) -> bool:
    """By what is known of Python's names, a package's own name for it, or the name of the file that asks Python."""
    if name in FOREIGN_NAMES.get(module.partition(".")[0], ()) or FOREIGN_CONSTANT.fullmatch(name):
        return True
    if for_another_platform(name) and holder in ("", scene.asker):
        return True
    asks_python = (
        holder == PYTHON or name in FOREIGN_MODULES
    )  # the second through a package that wraps Python's modules
    return asks_python and for_another_platform(scene.place)

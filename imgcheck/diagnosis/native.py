"""Failures below Python: the GPU driver, shared libraries, compiled code built for something else."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from imgcheck.diagnosis.known_modules import (
    DRIVER_LIBRARY,
    DRIVER_MESSAGE,
    FOREIGN_FUNCTION,
    FOREIGN_LIBRARY,
    LEFT_OUT_STDLIB,
    SYMBOL_OWNERS,
)
from imgcheck.diagnosis.missing_module import for_another_platform
from imgcheck.diagnosis.ownership import PYTHON
from imgcheck.diagnosis.reasons import Diagnosis, Reason
from imgcheck.diagnosis.scene import Scene

_NO_LIBRARY: Final = re.compile(r"([\w.+-]+): cannot open shared object file")
_LIBRARY_NOT_FOUND: Final = re.compile(r"\b([\w.+-]+) (?:shared )?library not found|find_library\('([\w.+-]+)'\)")
_MISMATCH: Final = re.compile(
    r"undefined symbol|operator \S+ does not exist|size changed, may indicate binary incompatibility"
    r"|version `?[A-Z]+[A-Z_]*_[\w.]+'? not found|module compiled against (?:API|ABI) version|_ARRAY_API not found"
    r"|numpy\.core\.multiarray failed to import|wrong ELF class|invalid ELF header|symbol lookup error"
    r"|bad magic number|Could not load (?:this )?library: \S+\.so"
)
# ctypes.CDLL(None): what ctypes.util.find_library says of a library that is not there is looked for in the interpreter.
_OF_INTERPRETER: Final = re.compile(r"/python[\d.]*: undefined symbol: (\w+)")
_SHARED_OBJECT: Final = re.compile(r"/[^\s:']+\.so[\w.]*")
_MANGLED: Final = re.compile(r"undefined symbol: _ZN?K?(?:\d*N?K?)?(\d+)(\w+)")


def driver_library(message: str) -> str:
    """The driver's library that the loader does not find; empty where it says nothing of the kind."""
    found = _NO_LIBRARY.search(message)
    return found[1] if found and DRIVER_LIBRARY.fullmatch(found[1]) else ""


def gpu_driver(scene: Scene) -> Diagnosis | None:
    library = driver_library(scene.error.message)
    if library:
        return _diagnosis(scene, Reason.GPU_DRIVER, wanted=library)
    if DRIVER_MESSAGE.search(scene.error.message):
        return _diagnosis(scene, Reason.GPU_DRIVER)
    return None


def missing_library(scene: Scene) -> Diagnosis | None:
    found = _NO_LIBRARY.search(scene.error.message) or _LIBRARY_NOT_FOUND.search(scene.error.message)
    if not found:
        return None
    wanted = next(filter(None, found.groups()))
    if FOREIGN_LIBRARY.fullmatch(wanted):
        return _diagnosis(scene, Reason.OTHER_PLATFORM)
    innermost = scene.world.owners.module_of(scene.frames[-1].file) if scene.frames else ""
    if scene.raiser == PYTHON and innermost.partition(".")[0] in LEFT_OUT_STDLIB:
        return _diagnosis(scene, Reason.LEFT_OUT_STDLIB, wanted=innermost)
    return _diagnosis(scene, Reason.MISSING_LIBRARY, wanted=wanted)


def native_mismatch(scene: Scene) -> Diagnosis | None:
    if not _MISMATCH.search(scene.error.message):
        return None
    asked = _OF_INTERPRETER.search(scene.error.message)
    if asked and (FOREIGN_FUNCTION.fullmatch(asked[1]) or for_another_platform(scene.place)):
        return _diagnosis(scene, Reason.OTHER_PLATFORM)
    file = _SHARED_OBJECT.search(scene.error.message)
    owner = scene.world.owners.of_file(file[0]) if file else ""
    sided = replace(scene, asker=owner) if owner not in ("", PYTHON) else scene
    return _diagnosis(sided, Reason.NATIVE_MISMATCH, culprit=_other_side(sided))


def _other_side(scene: Scene) -> str:
    """Whose binary interface does not fit: the distribution it failed in, or the one that the message names."""
    if scene.raiser not in ("", PYTHON, scene.asker):
        return scene.raiser
    mangled = _MANGLED.search(scene.error.message)
    named = mangled[2][: int(mangled[1])] if mangled else ""
    if named in SYMBOL_OWNERS:
        return SYMBOL_OWNERS[named]
    words = (scene.world.owners.of_module(word) for word in re.findall(r"[A-Za-z_]\w+", scene.error.message))
    return next((owner for owner in words if owner not in ("", PYTHON, scene.asker)), "")


def _diagnosis(scene: Scene, reason: Reason, *, wanted: str = "", culprit: str = "") -> Diagnosis:
    return Diagnosis(
        reason=reason, error=scene.error, asker=scene.asker, place=scene.place, wanted=wanted, culprit=culprit
    )

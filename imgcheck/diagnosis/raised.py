"""Everything else that a module's code can raise while it is imported."""

from __future__ import annotations

import re
from typing import Final

from packaging.utils import canonicalize_name

from imgcheck.diagnosis.ownership import PYTHON
from imgcheck.diagnosis.reasons import Diagnosis, Reason
from imgcheck.diagnosis.scene import Scene, is_import_error

_SYNTAX: Final = frozenset({"SyntaxError", "IndentationError", "TabError"})
_FOR_A_VERSION: Final = re.compile(r"(?:^|[_.])py(?:thon)?_?[23]\d{0,2}(?=[_.]|$)")
_PYTHON_2_CODE: Final = re.compile(r"Missing parentheses in call to '(?:print|exec)'|multiple exception types must be")
_FORBIDDEN: Final = re.compile(r"\[Errno (?:1|13|30)\]|getpwuid\(\)|Read-only file system")
_NETWORK_TYPES: Final = frozenset(
    {"ConnectionError", "ConnectTimeout", "URLError", "gaierror", "MaxRetryError", "ConnectError"}
)
_NETWORK: Final = re.compile(r"Name or service not known|name resolution|Network is unreachable|Max retries exceeded")
_ONE_PLATFORM: Final = re.compile(
    r"(?i)\b(?:only|just)\b.{0,40}\b(?:windows|win32|macos|mac os|darwin|android|ios|emscripten|pyodide|jython)\b"
    r"|\b(?:windows|win32|macos|mac os|darwin|android|emscripten|pyodide|jython) only\b|\bWindowsError\b"
)
_ASKS_PLATFORM: Final = re.compile(r"sys\.platform|os\.name|platform\.system\(")
_REFUSAL: Final = re.compile(
    r"(?i)\b(?:pip3?|conda|apt|apt-get|brew) install\b|\bplease install\b|\b(?:is|are) not installed\b"
    r"|\bto be installed\b|\bmust be installed\b|\bneeds? to install\b|\bmissing (?:optional )?dependenc"
)
_VERSION_TYPES: Final = frozenset({"ContextualVersionConflict", "VersionConflict", "VersionError"})
_VERSION_WORDS: Final = re.compile(
    r"(?i)\bbut found\b|\bincompatible versions?\b|\brequires? [\w.-]+ ?(?:==|[<>]=?|~=) ?\d"
    r"|\bneeds? [\w.-]+ [\d.]+ or (?:less|lower|earlier|older|greater|later|newer|higher)\b"
)
_CONFIGURATION_TYPES: Final = frozenset(
    {"FileNotFoundError", "ImproperlyConfigured", "MissingConfig", "NotADirectoryError"}
)
_CONFIGURATION: Final = re.compile(r"(?i)settings are not configured|cannot configure|credentials|environment variable")
_LANGUAGE: Final = frozenset({"TypeError", "ValueError", "AttributeError", "RuntimeError", "NameError"})


def syntax_error(scene: Scene) -> Diagnosis | None:
    if scene.error.type not in _SYNTAX:
        return None
    file = scene.frames[-1].file if scene.frames else scene.module.path
    name = scene.world.owners.module_of(file) or scene.module.module  # never the path: it goes through lib/python3.11
    elsewhere = _FOR_A_VERSION.search(name) or _PYTHON_2_CODE.search(scene.error.message)
    return _diagnosis(scene, Reason.OTHER_PYTHON if elsewhere else Reason.OWN_ERROR)


def other_platform(scene: Scene) -> Diagnosis | None:
    asserted = scene.error.type == "AssertionError" and scene.frames and _ASKS_PLATFORM.search(scene.frames[-1].text)
    told = asserted or _ONE_PLATFORM.search(scene.error.message)
    return _diagnosis(scene, Reason.OTHER_PLATFORM) if told else None


def forbidden(scene: Scene) -> Diagnosis | None:
    """What the user, or the read-only file system, of the cluster does not allow."""
    denied = scene.error.type == "PermissionError" or _FORBIDDEN.search(scene.error.message)
    return _diagnosis(scene, Reason.FORBIDDEN) if denied else None


def network(scene: Scene) -> Diagnosis | None:
    types = {scene.error.type, *scene.error.bases}
    asked = not types.isdisjoint(_NETWORK_TYPES) or _NETWORK.search(scene.error.message)
    return _diagnosis(scene, Reason.NETWORK) if asked else None


def version_conflict(scene: Scene) -> Diagnosis | None:
    """A package compares versions itself, and says so."""
    if scene.error.type not in _VERSION_TYPES and not _VERSION_WORDS.search(scene.error.message):
        return None
    words = map(canonicalize_name, re.findall(r"[A-Za-z][\w-]+", scene.error.message))
    named = next((word for word in words if word in scene.world.installed and word != scene.asker), "")
    return _diagnosis(scene, Reason.VERSION_BREAK, culprit=named if scene.own else scene.raiser)


def refusal(scene: Scene) -> Diagnosis | None:
    """A package says in its own words that it goes without something, and what."""
    refuses = _REFUSAL.search(scene.error.message) or (scene.own and is_import_error(scene.error))
    return _diagnosis(scene, Reason.REFUSES) if refuses else None


def configuration(scene: Scene) -> Diagnosis | None:
    types = {scene.error.type, *scene.error.bases}
    asked_of_python = scene.error.type == "KeyError" and scene.raiser in (PYTHON, scene.asker)
    wanting = (
        asked_of_python or not types.isdisjoint(_CONFIGURATION_TYPES) or _CONFIGURATION.search(scene.error.message)
    )
    return _diagnosis(scene, Reason.CONFIGURATION) if wanting or _lacks_arguments(scene) else None


def _lacks_arguments(scene: Scene) -> bool:
    """A script that reads the command line as soon as it runs, and fails on what it did not find there."""
    first = scene.frames[0] if scene.frames else None
    own = first is not None and first.file == scene.module.path and not first.text.startswith(("import ", "from "))
    return own and scene.module.reads_arguments


def raised_elsewhere(scene: Scene) -> Diagnosis | None:
    """The code that raised is another distribution's than the code that called it, or Python's own."""
    if scene.own or (scene.raiser == PYTHON and _LANGUAGE.isdisjoint({scene.error.type, *scene.error.bases})):
        return None
    return _diagnosis(scene, Reason.RAISED_ELSEWHERE, culprit=scene.raiser)


def own_error(scene: Scene) -> Diagnosis:
    return _diagnosis(scene, Reason.OWN_ERROR)


def _diagnosis(scene: Scene, reason: Reason, *, culprit: str = "") -> Diagnosis:
    return Diagnosis(reason=reason, error=scene.error, asker=scene.asker, place=scene.place, culprit=culprit)

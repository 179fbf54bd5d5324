"""The sentences for failed imports: what happened to whom, and the way out. One pair a reason."""

from __future__ import annotations

from typing import Final

from imgcheck.diagnosis.causes import Cause
from imgcheck.diagnosis.known_modules import DROPPED_MODULES, LIBRARY_PACKAGES, PROVIDERS
from imgcheck.diagnosis.ownership import PYTHON
from imgcheck.diagnosis.reasons import Reason
from imgcheck.diagnosis.world import World
from imgcheck.facts.model import Frame, Raised

_FRAMES = 8
_WORDS: Final[dict[Reason, tuple[str, str]]] = {
    Reason.VERSION_BREAK: (
        "{fails} because {asker} needs {wanted}, which {culprit} does not have",
        "Pin {culprit_name} to a version that has it{dropped}, or choose a version of {asker_name} made for {culprit}.",
    ),
    Reason.MISSING_REQUIREMENT: (
        "{fails} because {culprit_name}, which {asker} requires, is not installed",
        "Install {culprit_name}, or find out which step removed it or installed {asker_name} without its requirements.",
    ),
    Reason.NATIVE_MISMATCH: (
        "{fails} because compiled code of {asker} does not fit {culprit}: {error}",
        "Install builds of {asker_name} and {culprit_name} that were made for each other: same index, same pair.",
    ),
    Reason.MISSING_LIBRARY: (
        "{fails} because the shared library {wanted}, which {asker} loads, is not in the image",
        "{library}, or install a variant of {asker_name} that goes without it.",
    ),
    Reason.HIDDEN_MODULE: (
        "{fails} because {wanted} is not found, though {culprit} has it",
        "Look for another folder or file of that name earlier on sys.path, and for files this user cannot read.",
    ),
    Reason.MIXED_FILES: (
        "{fails} because files of two versions of {asker_name} lie over one another: {error}",
        "Uninstall {asker_name} until none is left, then install it once; do not copy one site-packages over another.",
    ),
    Reason.FORBIDDEN: (
        "{fails} because {asker} does at import what this user or a read-only file system forbids: {error}",
        "Give it a writable place by its own setting, or create what it wants while the image is built.",
    ),
    Reason.PARTIAL_PYTHON: (
        "{fails} because {culprit} was installed without {wanted}",
        "Install the package that brings this part of Python, or use a complete Python.",
    ),
    Reason.CIRCULAR_ACROSS: (
        "{fails} because {asker} and {culprit} import each other: {error}",
        "Install versions of {asker_name} and {culprit_name} that were released together.",
    ),
    Reason.RAISED_ELSEWHERE: (
        "{fails} because {asker} fails inside {culprit}: {error}",
        "Pin {culprit_name} to a version {asker_name} was made for, or choose another version of {asker_name}.",
    ),
    Reason.UNUSABLE: (
        "No module of {asker} can be imported: {error}",
        "Install {what} as well, choose a version of {asker_name} that suits {python}, or remove {asker_name}.",
    ),
    Reason.OWN_ODDITY: (
        "{fails} because {asker} lacks {wanted}, which is its own",
        "Reinstall {asker_name}; if it stays, the release is at fault: exclude the module or choose another version.",
    ),
    Reason.OWN_ERROR: (
        "{fails} because {asker} raises {error}",
        "See the traceback; choose another version of {asker_name}, or exclude the module if nothing uses it.",
    ),
    Reason.GPU_DRIVER: (
        "{fails_or_not} because {asker} needs the GPU driver, which only a GPU machine has: {error}",
        "Check these modules on a GPU machine.",
    ),
    Reason.NETWORK: (
        "{fails_or_not} because {asker} uses the network at import: {error}",
        "Put what it fetches into the image, so that jobs do not depend on the network.",
    ),
    Reason.OPTIONAL_EXTRA: (
        "{fails} because {wanted} is not installed; the extra {extra!r} of {asker} brings it",
        "Install {asker_name}[{extra}].",
    ),
    Reason.UNDECLARED: (
        "{fails} because {asker} imports {wanted}, which nothing installed provides or requires",
        "Install {what}, or exclude the module if nothing uses it.",
    ),
    Reason.OTHER_PLATFORM: ("{fails} because it is for another platform: {error}", "Exclude it."),
    Reason.OTHER_PYTHON: ("{fails} because it is for another Python than {python}: {error}", "Exclude it."),
    Reason.LEFT_OUT_STDLIB: (
        "{fails} because {python} goes without {wanted}",
        "Install the package that brings this part of Python, or exclude the module.",
    ),
    Reason.REFUSES: ("{fails} because {asker} refuses: {error}", "Do what it asks for, or exclude the module."),
    Reason.CONFIGURATION: (
        "{fails} because {asker} misses configuration: {error}",
        "Set it by runtime.env in the contract, or exclude the module.",
    ),
    Reason.CIRCULAR: (
        "{fails} because {asker} imports in a circle: {error}",
        "Import its package first, or exclude the module.",
    ),
}
_UNSUITABLE = (
    _WORDS[Reason.UNUSABLE][0],
    "Choose a version of {asker_name} that suits {python} and what is installed beside it, or remove {asker_name}.",
)
_LEFTOVER = (
    "{fails} because {asker} still needs {wanted}, which {python} does not have",
    "Exclude the module if nothing uses it, or choose a version of {asker_name} that goes without {wanted}.",
)
_TOGETHER = (
    "{fails} because {asker} needs {wanted}, which {culprit} does not have, though the two were made for each other",
    "Exclude the module if nothing uses it: an optional part, or the release is at fault.",
)
_CONFLICT = ("{fails} because {asker} does not accept {culprit}: {error}", _WORDS[Reason.RAISED_ELSEWHERE][1])


def summary_of(world: World, cause: Cause) -> str:
    return _pair(cause)[0].format_map(_fields(world, cause))


def remedy_of(world: World, cause: Cause) -> str:
    return _pair(cause)[1].format_map(_fields(world, cause))


def promise_of(world: World, cause: Cause) -> str:
    """What installed metadata says of the pair: the reason why no resolver objected."""
    found = cause.diagnosis
    if not found.culprit or found.culprit == found.asker or found.asker not in world.installed:
        return ""
    asker = world.installed[found.asker]
    if found.culprit == PYTHON:
        return f"{world.label(found.asker)} requires Python {asker.requires_python or 'of any version'}"
    need = world.need(found.asker, found.culprit)
    return need.sentence if need else f"{world.label(found.asker)} declares no requirement on {found.culprit}"


def traceback_of(cause: Cause) -> str:
    """The innermost frames and the chain's messages, the deepest last."""
    failure = cause.example.error
    lines = ["Traceback (most recent call last):"] if failure.frames else []
    lines += [line for frame in failure.frames[-_FRAMES:] for line in _frame(frame)]
    lines.append(_words(failure))
    deepest = cause.example.diagnosis.error
    if deepest is not failure:
        lines += ["caused by:", *(_frame(deepest.frame) if deepest.frame else ()), _words(deepest)]
    return "\n".join(lines)


def first_line(error: Raised) -> str:
    return _words(error).partition("\n")[0].strip()


def _words(error: Raised) -> str:
    return f"{error.type}: {error.message}" if error.message else error.type


def _frame(frame: Frame) -> list[str]:
    head = f'  File "{frame.file}", line {frame.line}, in {frame.function}'
    return [head, f"    {frame.text}"] if frame.text else [head]


def _pair(cause: Cause) -> tuple[str, str]:
    found = cause.diagnosis
    if not found.wanted and found.reason is Reason.VERSION_BREAK:
        return _CONFLICT
    if found.culprit == PYTHON and found.reason is Reason.OWN_ODDITY:
        return _LEFTOVER
    if found.culprit not in ("", found.asker) and found.reason is Reason.OWN_ODDITY:
        return _TOGETHER
    return _UNSUITABLE if not found.wanted and found.reason is Reason.UNUSABLE else _WORDS[found.reason]


def _fields(world: World, cause: Cause) -> dict[str, str]:
    found = cause.diagnosis
    count = len(cause.modules)
    modules = f"{count} modules" if count > 1 else cause.modules[0]
    return {
        "fails": f"{modules} {'fail' if count > 1 else 'fails'}",
        "fails_or_not": f"{modules} cannot be judged here",
        "asker": world.label(found.asker) or cause.subject,
        "asker_name": _name(world, found.asker) or cause.subject,
        "culprit": world.label(found.culprit) or "what is installed beside it",
        "culprit_name": _name(world, found.culprit) or "what it is built against",
        "wanted": found.wanted,
        "extra": found.extra,
        "error": first_line(found.error),
        "python": world.label(PYTHON),
        "what": provider_of(found.wanted),
        "library": _library(found.wanted),
        "dropped": _dropped(found.wanted),
    }


def _name(world: World, name: str) -> str:
    if name == PYTHON:
        return "Python"
    return world.installed[name].name if name in world.installed else name


def provider_of(wanted: str) -> str:
    """Only what is known for sure: a guessed name on an index may be anybody's."""
    top = wanted.partition(".")[0]
    known = PROVIDERS.get(wanted) or PROVIDERS.get(top)
    return known or (f"the distribution that has {wanted}" if wanted else "what it asks for")


def _library(wanted: str) -> str:
    package = LIBRARY_PACKAGES.get(wanted)
    return f"Install {package} (Debian and Ubuntu)" if package else f"Install the system package that has {wanted}"


def _dropped(wanted: str) -> str:
    known = DROPPED_MODULES.get(wanted.partition(".")[0])
    return f" ({known[0]} before {known[1]})" if known else ""

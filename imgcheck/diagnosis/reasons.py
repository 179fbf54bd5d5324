"""Why an import fails: closed words, and which of them break a contract by themselves."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from imgcheck.facts.model import Raised


class Reason(str, Enum):
    """The classes of failed imports."""

    VERSION_BREAK = "version-break"
    MISSING_REQUIREMENT = "missing-requirement"
    NATIVE_MISMATCH = "native-mismatch"
    MISSING_LIBRARY = "missing-library"
    HIDDEN_MODULE = "hidden-module"
    MIXED_FILES = "mixed-files"
    FORBIDDEN = "forbidden"
    PARTIAL_PYTHON = "partial-python"
    CIRCULAR_ACROSS = "circular-across"
    RAISED_ELSEWHERE = "raised-elsewhere"
    UNUSABLE = "unusable"
    OWN_ODDITY = "own-oddity"
    OWN_ERROR = "own-error"
    GPU_DRIVER = "gpu-driver"
    NETWORK = "network"
    OPTIONAL_EXTRA = "optional-extra"
    UNDECLARED = "undeclared-optional"
    OTHER_PLATFORM = "other-platform"
    OTHER_PYTHON = "other-python"
    LEFT_OUT_STDLIB = "left-out-stdlib"
    REFUSES = "refuses"
    CONFIGURATION = "configuration"
    CIRCULAR = "circular"


# What is seen and not judged, in the words of a report. Counted, never as kept.
PASSED_OVER: Final[dict[Reason, str]] = {
    Reason.OPTIONAL_EXTRA: "need an optional extra that is not installed",
    Reason.UNDECLARED: "need a module that no installed distribution provides or requires",
    Reason.OTHER_PLATFORM: "are for another platform",
    Reason.OTHER_PYTHON: "are for another Python version",
    Reason.LEFT_OUT_STDLIB: "need a part of the standard library that this Python goes without",
    Reason.REFUSES: "refuse to be imported and say why",
    Reason.CONFIGURATION: "need configuration that is not there",
    Reason.CIRCULAR: "cannot be imported first, only through their own package",
}

VENDORED: Final = "are vendored copies that cannot be imported by that name"

# Not to be told in a container without GPU and network.
CANNOT_BE_TOLD: Final = frozenset({Reason.GPU_DRIVER, Reason.NETWORK})

# Told, and not breaking: the distribution is at odds with itself, and the rest of it can be imported.
NOTED: Final = frozenset({Reason.OWN_ODDITY, Reason.OWN_ERROR})

# A distribution that cannot be imported at all is broken for these reasons too.
NOT_OPTIONAL_FOR_A_WHOLE: Final = (
    frozenset({Reason.OPTIONAL_EXTRA, Reason.UNDECLARED, Reason.REFUSES, Reason.CONFIGURATION, Reason.PARTIAL_PYTHON})
    | {Reason.OTHER_PYTHON}
    | NOTED
)


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """Why one import fails.

    Args:
        error: the exception that decides, somewhere in the chain.
        asker: canonical name of the distribution whose code asked for what failed.
        culprit: canonical name of the distribution it failed in, or that lacks what is wanted; "python" for Python.
        wanted: the module, name or shared library that is not there.
        place: the asker's module.
        extra: the extra that would bring what is wanted.
    """

    reason: Reason
    error: Raised
    asker: str = ""
    culprit: str = ""
    wanted: str = ""
    place: str = ""
    extra: str = ""

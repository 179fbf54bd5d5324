"""Every early stop of a run: one class and one exit code each, saying what happened, to what, and what to do.

A broken contract is a result, not an error: see `imgcheck.outcome`. Only `imgcheck.cli` catches these.
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """The process's exit status; only 75 (EX_TEMPFAIL of sysexits.h) is worth a retry."""

    KEPT = 0
    BROKEN = 1
    USAGE = 2
    NOT_BUILT = 3
    CHECK_ERROR = 4
    NOTHING_CHECKED = 5
    OUT_OF_REACH = 75
    INTERRUPTED = 130


class ImgcheckError(Exception):
    """Base of every early stop.

    Args:
        message: what happened, naming what it happened to.
        remedy: what the user can do next.
        details: further lines, such as the tail of a log.
    """

    exit_code: ClassVar[ExitCode]

    def __init__(self, message: str, *, remedy: str = "", details: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.details = details

    @property
    def whole(self) -> str:
        """All that it says, where it is a reason among others."""
        return "\n".join(part for part in (self.message, self.remedy, self.details) if part)


class UsageError(ImgcheckError):
    """The command line, a settings file, or what it names is wrong."""

    exit_code = ExitCode.USAGE


class ContractError(ImgcheckError):
    """A contract file cannot be used; the message names file, line and key."""

    exit_code = ExitCode.USAGE


class ImageNotFoundError(ImgcheckError):
    """The registry was reached, or none is named, and there is no such image."""

    exit_code = ExitCode.USAGE


class UnsuitableImageError(ImgcheckError):
    """The image exists and cannot be looked into: no Python, too old a Python, another machine."""

    exit_code = ExitCode.USAGE


class BuildError(ImgcheckError):
    """The builder ran and the image did not build."""

    exit_code = ExitCode.NOT_BUILT


class UnresolvableBuildError(BuildError):
    """An install step of the build found no solution under the constraints; `line` is its place in the Dockerfile."""

    def __init__(self, message: str, *, line: int | None, remedy: str = "", details: str = "") -> None:
        super().__init__(message, remedy=remedy, details=details)
        self.line = line


class CollectorError(ImgcheckError):
    """The program inside the image did not give a whole, genuine answer."""

    exit_code = ExitCode.CHECK_ERROR


class UntoldError(CollectorError):
    """What was looked at cannot tell this kind of facts: nothing is wrong, and nothing is known."""


class ContainerDisturbedError(CollectorError):
    """Somebody outside paused or removed the container that the program ran in: nothing more comes of it."""


class ResolverTimeoutError(CollectorError):
    """A resolution took longer than it may."""


class HostError(ImgcheckError):
    """This machine cannot hold what a run needs: its disk is full, or no folder can be written to."""

    exit_code = ExitCode.CHECK_ERROR


class NothingCheckedError(ImgcheckError):
    """No check was run, so nothing can be said of the image."""

    exit_code = ExitCode.NOTHING_CHECKED


class EngineOutOfReachError(ImgcheckError):
    """No container engine answers."""

    exit_code = ExitCode.OUT_OF_REACH


class EngineFaultError(EngineOutOfReachError):
    """The engine answered with a fault of its own: restarting, out of disk."""


class EngineRefusedError(ImgcheckError):
    """The engine answered, and will not do what was asked, now or later."""

    exit_code = ExitCode.CHECK_ERROR


class RegistryOutOfReachError(ImgcheckError):
    """A registry or package index did not answer; the same run may succeed later."""

    exit_code = ExitCode.OUT_OF_REACH

"""What an engine says when it does not do what it is asked, as errors of ours."""

from __future__ import annotations

from typing import Final

from docker.errors import APIError
from requests.exceptions import RequestException
from urllib3.exceptions import HTTPError

from imgcheck.engines.engine import FOLDER
from imgcheck.errors import (
    EngineFaultError,
    EngineRefusedError,
    ImageNotFoundError,
    ImgcheckError,
    RegistryOutOfReachError,
    UnsuitableImageError,
    UsageError,
)

LOST: Final = (RequestException, HTTPError, OSError)
"""How it shows that the engine does not answer, or stops in the middle of an answer."""
_ABSENT: Final = ("not a directory", "too many levels of symbolic links", "no such file")
"""What the engine calls a fault of its own, and is one of a path."""
_UNREACHABLE: Final = (
    "no such host",
    "connection refused",
    "i/o timeout",
    "timeout",
    "network is unreachable",
    "tls handshake",
    "connection reset",
    "server misbehaving",
    "eof",
    "service unavailable",
    "bad gateway",
)


def refusal(what: str, error: APIError) -> ImgcheckError:
    """What the engine would not do. A server's fault (5xx) may pass; a refusal (4xx) will be repeated."""
    reason = str(error.explanation or error)
    if "unable to find user" in reason or "unable to find group" in reason:
        return UsageError(
            f"the image does not know the user it is to run as: {reason}",
            remedy="name one of its users, or a number, under runtime.user, or as the user of a probe",
        )
    if FOLDER.strip("/") in reason and "not a directory" in reason:
        return UnsuitableImageError(
            f"the image has a file at {FOLDER}, where the collector's folder is to be: {reason}",
            remedy="remove that file from the image",
        )
    kind = EngineFaultError if error.is_server_error() else EngineRefusedError
    return kind(f"the engine could not {what}: {reason}")


def is_absent(error: APIError, path: str) -> bool:
    """Whether it only says that there is no such path; it may also be the container itself that cannot be had."""
    reason = str(error.explanation).lower()
    return error.status_code == 404 or (path.lower() in reason and any(sign in reason for sign in _ABSENT))


def pull_error(reference: str, reason: str) -> ImgcheckError:
    """Why an image could not be pulled: a registry that does not answer may do so later."""
    lowered = reason.lower()
    if any(sign in lowered for sign in _UNREACHABLE):
        return RegistryOutOfReachError(
            f"{reference} is not here, and its registry did not answer: {reason}",
            remedy="try again later; check the name, the network, and docker login",
        )
    return ImageNotFoundError(f"there is no image {reference}: {reason}")


def reason_of(error: Exception) -> str:
    """The innermost words of a chain of connection errors."""
    inner: BaseException = error
    while inner.__cause__ or inner.__context__:
        inner = inner.__cause__ or inner.__context__ or inner
    return f"{inner.strerror}" if isinstance(inner, OSError) and inner.strerror else str(inner) or type(inner).__name__

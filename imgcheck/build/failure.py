"""Why a build failed, in plain words: from the builder's plain output to the error that ends the run.

Pure text work. What a retry may mend (a registry or an index that does not answer) is told from what it cannot.
"""

from __future__ import annotations

import re
from typing import Final

from imgcheck.build.conflicts import explain_conflict, placed
from imgcheck.build.failed_step import DID_NOT_COMPLETE, FailedStep
from imgcheck.build.refusals import refusal_of
from imgcheck.build.stages import Dockerfile
from imgcheck.contract.model import Contract
from imgcheck.errors import (
    BuildError,
    EngineOutOfReachError,
    ImgcheckError,
    RegistryOutOfReachError,
    UnresolvableBuildError,
    UsageError,
)

_TAIL: Final = 40
_OBJECT = re.compile(r"<[^<>]* object at 0x[0-9a-f]+>: ")
_NOT_IN_CONTEXT = re.compile(
    r"\"/([^\"]*)\": not found|copier: stat: \"/([^\"]*)\""
    r"|COPY failed: file not found in build context[^\n]*: stat (\S+):"
)
_ERROR = re.compile(
    r"\s*(?:pip\._internal\.\S+: |ERROR:|error:|\N{MULTIPLICATION SIGN} |Traceback \(most recent call last\))"
)
_EXIT = re.compile(r"did not complete successfully: (.*)")

_NO_ENGINE = re.compile(
    r"Cannot connect to (?:the Docker daemon|Podman)|error during connect|is the docker daemon running|"
    r"failed to receive status: rpc error: code = (?:Unavailable|Canceled)|error reading from server|"
    r"failed to list workers|listing workers for Build",
    re.IGNORECASE,
)
_NO_BUILDER = re.compile(r"no builder .* found|failed to find driver|failed to initialize builder", re.IGNORECASE)
_CERTIFICATE = re.compile(
    r"CERTIFICATE_VERIFY_FAILED|SSLError|x509:|certificate verify failed|UnknownIssuer", re.IGNORECASE
)
_UNANSWERED = re.compile(
    r"no such host|connection refused|i/o timeout|TLS handshake timeout|connection reset|network is unreachable"
    r"|server misbehaving|deadline exceeded|unexpected EOF|: EOF$|toomanyrequests|429 Too Many"
    r"|unexpected status[^\n]*: 5\d\d|Temporary failure in name resolution|failed to dial",
    re.IGNORECASE | re.MULTILINE,
)
_INDEX_UNANSWERED = re.compile(
    # pip, uv, apt, curl, git, conda: each in the words that it ends with
    r"Retry\(total=0,|Max retries exceeded|NewConnectionError|ReadTimeoutError|HTTP error 5\d\d|5\d\d Server Error"
    r"|Could not fetch URL|Temporary failure (?:in name resolution|resolving)|error sending request for url"
    r"|Request failed after \d+ retr|dns error|Could not resolve host|Failed to connect to \S+ port"
    r"|503 Service Unavailable|502 Bad Gateway|504 Gateway|CondaHTTPError|TLS handshake timeout",
    re.IGNORECASE,
)
_NO_SUCH_IMAGE = re.compile(
    r"([^\s\"]+): (?:failed to resolve source metadata for [^:\s]+\S*: )?[^\n]*?"
    r"(?:not found|pull access denied|repository does not exist|insufficient_scope|401 Unauthorized|403 Forbidden)"
)
_NO_DISTRIBUTION = re.compile(
    r"No matching distribution found for ([^\s;]+)|there is no version of ([^\s]+?)(?: and |,)"
)


def is_unanswered(log: str) -> bool:
    """Whether an installer's words tell that an index did not answer, or not in a way that was trusted."""
    return bool(_INDEX_UNANSWERED.search(log))


def is_untrusted(log: str) -> bool:
    """Whether they tell of a certificate that is not trusted."""
    return bool(_CERTIFICATE.search(log))


def explain(step: FailedStep, output: str, *, dockerfile: Dockerfile, contract: Contract) -> ImgcheckError:
    """The error for a build that failed.

    Args:
        step: where it stopped.
        output: all that the builder wrote.
        dockerfile: the user's, for places.
        contract: what was in force.
    """
    if _NO_ENGINE.search(output):
        return EngineOutOfReachError("the engine stopped answering during the build", details=_tail(output))
    if _NO_BUILDER.search(step.reason):
        return UsageError(f"the builder cannot be used: {step.reason}", remedy="docker buildx ls lists the builders")
    where = _where(step, dockerfile)
    if DID_NOT_COMPLETE in step.reason:
        return _failed_command(step, where, contract)
    return _failed_otherwise(step, where, output)


def _where(step: FailedStep, dockerfile: Dockerfile) -> str:
    if step.derived:
        return "the derived base"
    return str(dockerfile.place(step.line))


def _failed_command(step: FailedStep, where: str, contract: Contract) -> ImgcheckError:
    details = installer_words(step.log)
    conflict = explain_conflict(step.log, contract)
    if conflict is not None:
        told = f"{where}: {conflict.message}"
        if conflict.isolated or step.line is None:
            return BuildError(told, remedy=conflict.remedy, details=details)
        return UnresolvableBuildError(told, line=step.line, remedy=conflict.remedy, details=details)
    if _CERTIFICATE.search(step.log):
        return _certificate(f"{where}: {step.title}", details)
    unanswered = _INDEX_UNANSWERED.search(step.log)
    if unanswered:
        return RegistryOutOfReachError(
            f"{where}: {step.title}: an index or server did not answer ({_line_of(step.log, unanswered.start())})",
            remedy="run it again when it answers; in a build, --network host uses this machine's own network",
            details=details,
        )
    refused = _refused(step.log, where, contract, details)
    if refused is not None:
        return refused
    ended = _EXIT.search(step.reason)
    return BuildError(f"{where}: {step.title} failed: {ended[1] if ended else step.reason}", details=details)


def _refused(log: str, where: str, contract: Contract, details: str) -> BuildError | None:
    """What an installer would not do, in plain words; a pin that no index has goes before them."""
    absent = _NO_DISTRIBUTION.search(log)
    requirement = (absent[1] or absent[2]) if absent else ""
    refusal = refusal_of(log)
    if refusal is not None and _canonical(requirement) not in contract.pins:
        return BuildError(f"{where}: {refusal.message}", remedy=refusal.remedy, details=details)
    return _no_distribution(requirement, where, contract, details) if absent else None


def _canonical(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def _no_distribution(requirement: str, where: str, contract: Contract, details: str) -> BuildError:
    name = _canonical(requirement)
    if name in contract.pins:
        return BuildError(
            f"{where}: no index has {requirement}, with the contract's pin {name} {contract.pins[name]}"
            f"{placed(contract, 'pins', name)} in force",
            remedy="give the index that has the pinned version (--extra-index-url), or loosen the requirement",
            details=details,
        )
    return BuildError(
        f"{where}: no index has {requirement} for this Python",
        remedy="check the name, the version and the image's Python",
        details=details,
    )


def _failed_otherwise(step: FailedStep, where: str, output: str) -> ImgcheckError:
    details = _tail(output)
    if "no space left on device" in output:
        return BuildError(f"{where}: the engine's disk is full", remedy="docker system df tells what holds it")
    if _CERTIFICATE.search(step.reason):
        return _certificate(f"{where}: {step.reason}", details)
    if _UNANSWERED.search(step.reason):
        return RegistryOutOfReachError(
            f"{where}: the registry did not answer: {_last_words(step.reason)}",
            remedy="run it again when it answers, or pull the image first",
            details=details,
        )
    absent = _NO_SUCH_IMAGE.search(step.reason)
    if absent and "load metadata" in step.title:
        return BuildError(
            f"{where}: there is no image {absent[1]}, or not for this user",
            remedy="check the name, or docker login",
            details=details,
        )
    missing = _NOT_IN_CONTEXT.search(step.reason)
    if missing:
        return BuildError(
            f"{where}: {step.title}: there is no {missing[missing.lastindex or 0]} to copy",
            remedy="paths count from the build context; .dockerignore may leave the file out",
        )
    return BuildError(f"{where}: {step.reason}", details=details)


def _last_words(reason: str) -> str:
    """Of BuildKit's chain, the image and the innermost error."""
    short = re.sub(r".*failed to resolve source metadata for (\S+): ", r"\1: ", reason)
    return re.sub(r"failed to do request: \w+ \"[^\"]*\": ", "", short)


def _certificate(what: str, details: str) -> BuildError:
    return BuildError(
        f"{what}: the server's certificate is not trusted there",
        remedy="give the build the CA bundle (--secret id=ca,src=…, and PIP_CERT or SSL_CERT_FILE in the RUN line), "
        "or use a base that trusts it",
        details=details,
    )


def _line_of(text: str, position: int) -> str:
    start = text.rfind("\n", 0, position) + 1
    return _OBJECT.sub("", text[start:].partition("\n")[0].strip())[:240]


def installer_words(log: str, least: int = _TAIL) -> str:
    """What an installer says of its failure, whole: from its first word of an error on, and `least` lines at least.

    Where no line speaks of an error, the last ones.
    """
    lines = log.splitlines()
    first = next((number for number, one in enumerate(lines) if _ERROR.match(one)), None)
    start = len(lines) - (_TAIL if first is None else least)
    return "\n".join(lines[max(0, start if first is None else min(first, start)) :])


def _tail(text: str) -> str:
    return "\n".join(text.splitlines()[-_TAIL:])

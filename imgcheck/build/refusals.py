"""What an installer refuses for a reason that is no conflict: hashes, Python, yanked files, local versions, addresses.

Told from pip's words (pip 21 to 26), and from uv's where they are as plain. Anything else is shown as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from imgcheck.diagnosis.versions import allows, parse_version

_PIP_HASH: Final = re.compile(
    r"DO NOT MATCH THE HASHES.*?\n\s*(?P<what>\S+)[^\n]*\n\s*Expected (?P<kind>\w+) (?P<wanted>\w+)"
    r"(?:\s*\n\s*Expected\s+or \w+)*\s*\n\s*Got\s+(?P<got>\w+)",
    re.DOTALL,
)
_UV_HASH: Final = re.compile(
    r"Hash mismatch for `(?P<what>[^`]+)`\s+Expected:\s+(?P<kind>\w+):(?P<wanted>\w+).*?Computed:\s+\w+:(?P<got>\w+)",
    re.DOTALL,
)
_NO_HASH: Final = re.compile(
    r"(?:Hashes are required in --require-hashes mode|In --require-hashes mode, all requirements)"
)
_ABSENT: Final = re.compile(
    r"Could not find a version that satisfies the requirement (?P<what>[^\n]+?) \(from versions: (?P<versions>[^)]*)\)"
)
_PYTHONS: Final = re.compile(r"Ignored the following versions that require a different python version: ([^\n]+)")
_UNSUPPORTED: Final = re.compile(
    r"Package '(?P<what>[^']+)' requires a different Python: (?P<have>\S+) not in '(?P<python>[^']+)'"
)
_YANKED: Final = re.compile(r"Ignored the following yanked versions: ([^\n]+)")
_NO_PROGRAM: Final = re.compile(r"Cannot find command '(\w+)'|Git executable not found", re.IGNORECASE)
_NOT_THERE: Final = re.compile(r"HTTP error (4\d\d) while getting (\S+)|(4\d\d) Client Error: [^\n]*? for url: (\S+)")


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """A sentence, and the way out."""

    message: str
    remedy: str


def refusal_of(log: str) -> Refusal | None:
    """The first that is recognised; None for words that are not known."""
    return next((found for find in (_hashes, _absent, _unsupported, _program, _address) for found in find(log)), None)


def _hashes(log: str) -> Iterator[Refusal]:
    match = _PIP_HASH.search(log) or _UV_HASH.search(log)
    if match:
        yield Refusal(
            message=f"the hashes of {match['what']} do not match: the requirements say {match['kind']} "
            f"{match['wanted'][:12]}…, the index gave {match['got'][:12]}…",
            remedy="find out who replaced that file; if it was meant, lock again with --generate-hashes",
        )
    if _NO_HASH.search(log):
        yield Refusal(
            message="some requirements have hashes, and others have none or no exact version",
            remedy="lock with --generate-hashes: it names the hashes of all, what they lead to included",
        )


def _absent(log: str) -> Iterator[Refusal]:
    match = _ABSENT.search(log)
    requirement = _parsed(match["what"].partition(" (from ")[0]) if match else None
    if match is None or requirement is None:
        return
    name = canonicalize_name(requirement.name)
    for why in (
        _other_python(log, requirement),
        _yanked(log, requirement),
        _of_versions(requirement, match["versions"]),
    ):
        if why is not None:
            yield Refusal(message=f"{_spelled(requirement)}: {why[0]}", remedy=why[1].format(name=name))


def _parsed(text: str) -> Requirement | None:
    try:
        return Requirement(text)
    except InvalidRequirement:
        return None


def _spelled(requirement: Requirement) -> str:
    return f"{requirement.name}{requirement.specifier}"


def _other_python(log: str, requirement: Requirement) -> tuple[str, str] | None:
    """Pip lists all that it passed over; those that the requirement would take count."""
    match = _PYTHONS.search(log)
    pairs = [one.strip().partition(" Requires-Python ") for one in match[1].split("; ")] if match else []
    fitting = [(version, python) for version, _, python in pairs if _meets(requirement, version)]
    if not fitting:
        return None
    version, python = fitting[-1]
    return f"{version} is for Python {python}, which this one is not", "take a version of {name} for this Python"


def _yanked(log: str, requirement: Requirement) -> tuple[str, str] | None:
    match = _YANKED.search(log)
    fitting = [one.strip() for one in match[1].split(",") if _meets(requirement, one.strip())] if match else []
    if not fitting:
        return None
    return f"only {', '.join(fitting)} would fit, which its makers have yanked", "ask for another version of {name}"


def _of_versions(requirement: Requirement, listed: str) -> tuple[str, str]:
    versions = [] if listed.strip() in ("", "none") else [one.strip() for one in listed.split(",")]
    if not versions:
        return "no index in reach has it, or no file of it for this Python and platform", "check its name and the index"
    local = next((one.version for one in requirement.specifier if "+" in one.version), "")
    if local:
        return (
            f"no index in reach has {local}, a local version: such builds are in indexes of their own",
            "give that index (--extra-index-url), or take a base that has the build",
        )
    early = [
        one
        for one in versions
        if (version := parse_version(one)) and version.is_prerelease and _meets(requirement, one)
    ]
    if early:
        return f"only the pre-release {early[-1]} would fit", f"ask for {{name}}=={early[-1]}, or give --pre"
    return f"no index in reach has it; there are {', '.join(versions[-6:])}", "ask for one of these"


def _meets(requirement: Requirement, text: str) -> bool:
    version = parse_version(text)
    return version is not None and allows(requirement.specifier, version)


def _unsupported(log: str) -> Iterator[Refusal]:
    """An index that does not tell of Pythons: pip sees it in the wheel."""
    match = _UNSUPPORTED.search(log)
    if match:
        yield Refusal(
            message=f"{match['what']} is for Python {match['python']}, and this one is {match['have']}",
            remedy=f"take a version of {match['what']} for this Python",
        )


def _program(log: str) -> Iterator[Refusal]:
    match = _NO_PROGRAM.search(log)
    if match:
        program = match[1] or "git"
        yield Refusal(
            message=f"{program} is not in the image, and a requirement is fetched with it",
            remedy=f"install {program} before, or ask for a released version",
        )


def _address(log: str) -> Iterator[Refusal]:
    match = _NOT_THERE.search(log)
    if match:
        status, address = match[1] or match[3], match[2] or match[4]
        yield Refusal(
            message=f"{address} answers with status {status}",
            remedy="check the address, and who may read it",
        )

"""Versions against specifiers (PEP 440). An installed pre-release counts: somebody chose it."""

from __future__ import annotations

from packaging.specifiers import Specifier, SpecifierSet
from packaging.version import InvalidVersion, Version

_AT_LEAST = frozenset({">=", ">", "~=", "==", "==="})


def parse_version(text: str) -> Version | None:
    """None for a version that PEP 440 does not know, such as a distribution package's "0.23ubuntu1"."""
    try:
        return Version(text)
    except InvalidVersion:
        return None


def allows(specifiers: SpecifierSet, version: Version) -> bool:
    return specifiers.contains(version, prereleases=True)


def compatible(one: SpecifierSet, other: SpecifierSet) -> bool:
    """Whether some version could satisfy both.

    Two sets of intervals meet, if anywhere, at one of their bounds or just beside it.
    """
    bounds = [bound for clause in (*one, *other) if (bound := _bound(clause))]
    if not bounds:
        return True
    return any(allows(one, near) and allows(other, near) for bound in bounds for near in _around(bound))


def how_moved(pin: SpecifierSet, version: Version) -> str:
    """In which way a version left what a pin allows: "moved down", "moved up", "is another build"."""
    clause = next((one for one in sorted(pin, key=str) if not allows(SpecifierSet(str(one)), version)), None)
    bound = _bound(clause) if clause else None
    if clause is None or bound is None:
        return "moved"
    if version.public == bound.public and clause.operator in ("==", "==="):
        return "is another build"
    if clause.operator == "!=":
        return "is the version left out"
    return "moved down" if clause.operator in _AT_LEAST and version < bound else "moved up"


def _bound(clause: Specifier) -> Version | None:
    return parse_version(clause.version.removesuffix(".*"))


def _around(bound: Version) -> tuple[Version, ...]:
    above = Version(".".join(map(str, (*bound.release, 0, 1))))
    return (bound, above, *_below(bound))


def _below(bound: Version) -> tuple[Version, ...]:
    release = list(bound.release)
    while release and release[-1] == 0:
        release.pop()
    if not release:
        return ()
    release[-1] -= 1
    return (Version(".".join(map(str, (*release, 999_999)))),)

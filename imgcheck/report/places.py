"""Where a finding can be shown: the line that asked for it, the build step, and the promise, in this order."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from imgcheck.outcome import Finding, Location, Report


@dataclass(frozen=True, kw_only=True)
class Place:
    """A line of a file, and what stands there."""

    location: Location
    what: str

    @property
    def path(self) -> str:
        """As tools for repositories take it: forward slashes, no leading "./"."""
        return _tidy(self.location.file)

    @property
    def line(self) -> int:
        return self.location.line or 1


def places(finding: Finding) -> tuple[Place, ...]:
    """All that is known, the line that a person edits first."""
    return tuple(_places(finding))


def main_place(report: Report, finding: Finding) -> Place:
    """The first of them. What has none is shown where the promises are: in the contract, or what was built from."""
    found = places(finding)
    return found[0] if found else Place(location=Location(file=report.contract or report.image), what="the contract")


def as_uri(path: str) -> str:
    """A reference that is relative where the path is (RFC 3986)."""
    return f"file://{quote(path, errors='replace')}" if path.startswith("/") else quote(path, errors="replace")


def _places(finding: Finding) -> Iterator[Place]:
    fault = finding.fault
    if fault.cause.location:
        yield Place(location=fault.cause.location, what="asked for here")
    if fault.cause.step_location:
        yield Place(location=fault.cause.step_location, what="the build step")
    if fault.location:
        yield Place(location=fault.location, what="promised here")


def _tidy(path: str) -> str:
    return posixpath.normpath(path.replace("\\", "/")) if path else path

"""Typed twin of the collector's os_packages.py: packages of the operating system."""

from __future__ import annotations

from typing import Literal

from imgcheck.facts.strict import FactModel, Name, Text


class OsPackages(FactModel):
    """Name and version of what dpkg, apk or rpm say is installed; of several versions of one name, all."""

    manager: Literal["dpkg", "apk", "rpm", ""]
    packages: tuple[tuple[Name, Name], ...] = ()
    problem: Text = ""

    def versions(self, name: str) -> tuple[str, ...]:
        return tuple(version for one, version in self.packages if one == name)

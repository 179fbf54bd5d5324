"""Whose files are judged: every owner's, but for a distribution that lies in one folder twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from packaging.utils import canonicalize_name

from imgcheck.diagnosis.requirements import label
from imgcheck.facts.files import FileFacts, OwnerFiles
from imgcheck.facts.model import Distribution, Facts, Inventory

_PIP_LIKE = frozenset({"record", "installed-files"})


@dataclass(frozen=True)
class FileOwners:
    """File facts beside the inventory."""

    files: FileFacts
    inventory: Inventory

    @classmethod
    def of(cls, facts: Facts) -> FileOwners:
        return cls(facts.files or FileFacts(), facts.inventory)

    @cached_property
    def by_metadata(self) -> Mapping[str, Distribution]:
        return {one.metadata_path: one for one in self.inventory.distributions}

    @cached_property
    def packaged(self) -> Mapping[str, str]:
        """Metadata -> the package of a package manager that brought it, as "dpkg python3-numpy"."""
        return dict(self.files.packaged)

    @cached_property
    def twice(self) -> Mapping[tuple[str, str], tuple[Distribution, ...]]:
        """(folder, canonical name) -> distributions of one name in one folder, where there are several."""
        found: defaultdict[tuple[str, str], list[Distribution]] = defaultdict(list)
        for one in self.inventory.distributions:
            if one.kind != "egg-link":
                found[one.location, one.canonical_name].append(one)
        return {key: tuple(several) for key, several in found.items() if len(several) > 1}

    @cached_property
    def judged(self) -> tuple[OwnerFiles, ...]:
        """Owners whose list says what should be there. A name that one folder holds twice is told by IC106."""
        return tuple(one for one in self.files.owners if not self._is_told_elsewhere(one))

    def _is_told_elsewhere(self, owner: OwnerFiles) -> bool:
        name = canonicalize_name(owner.name)
        if owner.metadata_path in self.packaged:  # Debian keeps the RECORD of another layout: dpkg's list counts
            return True
        if owner.kind in _PIP_LIKE:
            return (owner.location, name) in self.twice
        return self.replaced_by(owner) is not None

    def replaced_by(self, owner: OwnerFiles) -> Distribution | None:
        """The distribution that took a package's place behind its manager's back."""
        if owner.kind in _PIP_LIKE or any(
            package == f"{owner.kind} {owner.name}" for package in self.packaged.values()
        ):
            return None
        name = canonicalize_name(owner.name.removeprefix("python3-") if owner.kind == "dpkg" else owner.name)
        found = self.inventory.find(name)
        return found if found and found.metadata_path not in self.packaged else None

    def label(self, owner: str) -> str:
        """A distribution by its metadata, or a package by its own name."""
        found = self.by_metadata.get(owner)
        return label(found) if found else owner

    def subject(self, owner: str) -> str:
        found = self.by_metadata.get(owner)
        return found.canonical_name if found else owner


def subject_of(owner: OwnerFiles) -> str:
    return canonicalize_name(owner.name) if owner.kind in _PIP_LIKE else f"{owner.kind} {owner.name}"


def label_of(owner: OwnerFiles) -> str:
    plain = f"{owner.name} {owner.version}".strip()
    return plain if owner.kind in _PIP_LIKE else f"{plain} ({owner.kind})"

"""Typed facts on distributions as the layers hold them."""

from __future__ import annotations

from pydantic import Field

from imgcheck.facts.strict import FactModel, Name


class OutsideDistribution(FactModel):
    """Metadata in the layers. `listed` is None where there is no RECORD; lists are cut off, counts are whole."""

    metadata_path: Name
    name: Name
    version: Name
    listed: int | None
    record_digest: Name
    differing: tuple[Name, ...] = ()
    """Files that have another hash than any RECORD lists."""
    differing_count: int = 0
    missing: tuple[Name, ...] = ()
    missing_count: int = 0


class OutsideFacts(FactModel):
    """Read from the layers.

    Args:
        distributions: in the folders that the image's Python named.
        hidden: in further folders that belong to the interpreter.
        python: the interpreter that was asked.
        script: it is a script, so that something else answers in its place.
        real: by metadata path as Python told it, where that leads.
        mounted: metadata that lies in what is mounted while the image runs.
        bytes_read: of the layers.
        bytes_hashed: of the files in them that matter.
        files: how many those are.
    """

    distributions: tuple[OutsideDistribution, ...] = ()
    hidden: tuple[OutsideDistribution, ...] = ()
    python: Name = ""
    script: bool = False
    real: dict[Name, Name] = Field(default_factory=dict)
    mounted: tuple[Name, ...] = ()
    bytes_read: int = 0
    bytes_hashed: int = 0
    files: int = 0

"""Requirement files as a resolver gets them: each at a path below one folder, so that what they include is found."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from imgcheck.locking.explaining import Asked
from imgcheck.requirements.files import RequirementFile


@dataclass(frozen=True, kw_only=True)
class GatheredFiles:
    """Texts by relative path, and the relative path of each file."""

    texts: Mapping[str, str]
    inner: Mapping[Path, str]


def gather_files(files: Iterable[RequirementFile], limits: Iterable[RequirementFile] = ()) -> GatheredFiles:
    """All files that requirement and constraint files are made of."""
    paths = [path for read in (*files, *limits) for path in read.files]
    if not paths:
        return GatheredFiles(texts={}, inner={})
    above = Path(os.path.commonpath([path.resolve().parent for path in paths]))
    inner = {path: path.resolve().relative_to(above).as_posix() for path in paths}
    return GatheredFiles(texts={inner[path]: path.read_text("utf-8-sig") for path in paths}, inner=inner)


def asked_in(files: Sequence[RequirementFile], gathered: GatheredFiles) -> tuple[Asked, ...]:
    """The lines that ask for something, with their places in the texts."""
    return tuple(
        Asked(line=line, file=gathered.inner[Path(line.where.file)], row=line.where.line or 1)
        for read in files
        for line in read.asked
    )

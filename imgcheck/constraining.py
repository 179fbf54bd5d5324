"""The constraints that a build is put under: the contract's pins, its further files, and the base's own file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from imgcheck.constraints import (
    ConstraintLine,
    constraint_paths,
    further_files,
    merge,
    pin_lines,
    read_constraints,
    unread_constraints,
)
from imgcheck.contract.model import Contract
from imgcheck.engines.engine import Engine
from imgcheck.errors import ContractError
from imgcheck.facts.model import ImageFacts


def constraints_in_force(
    engine: Engine, contract: Contract, base: ImageFacts, environment: Mapping[str, str]
) -> tuple[str, tuple[str, ...]]:
    """The merged constraints file, and what is to be told of it: contradictions, lines that were not used.

    Args:
        engine: reads the base's own constraints file.
        contract: names pins and further files.
        base: the base image.
        environment: of the markers in the base (PEP 508).

    Raises:
        ContractError: a file that the contract names cannot be read.
    """
    base_lines, base_notes = base_constraints(engine, base)
    extra: list[ConstraintLine] = []
    notes: list[str] = list(base_notes)
    for number, path in enumerate(further_files(contract)):
        found = read_constraints(_text(path, contract, number), str(path))
        extra.extend(found.lines)
        notes.extend(found.notes)
    merged = merge(pin_lines(contract.pins, contract), base=base_lines, extra=extra, environment=environment)
    return merged.text(Path(contract.path).name), (*notes, *merged.conflicts)


def base_constraints(engine: Engine, image: ImageFacts) -> tuple[tuple[ConstraintLine, ...], tuple[str, ...]]:
    """The constraints that the base itself carries, and what is to be told of them."""
    lines: list[ConstraintLine] = []
    notes = list(unread_constraints(image))
    for path in constraint_paths(image):
        content = engine.read_file(image, path)
        if content is not None:
            found = read_constraints(content.decode("utf-8", "replace"), f"{image.reference}:{path}")
            lines.extend(found.lines)
            notes.extend(found.notes)
    return tuple(lines), tuple(notes)


def _text(path: Path, contract: Contract, number: int) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        where = contract.where("constraints", "files", str(number))
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ContractError(f"{where}: constraints.files: {path} cannot be read: {reason}") from None

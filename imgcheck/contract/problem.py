"""One thing that is wrong in a contract file: where, at which key, and what. All of a file's are told at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from imgcheck.errors import ContractError
from imgcheck.outcome import Location

Keys = tuple[str | int, ...]


@dataclass(frozen=True, kw_only=True)
class Problem:
    where: Location
    keys: Keys
    text: str

    def __str__(self) -> str:
        key = key_path(self.keys)
        return f"{self.where}: {key}: {self.text}" if key else f"{self.where}: {self.text}"


def key_path(keys: Keys) -> str:
    """As people write it: probes[0].http.port."""
    parts = (f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
    return "".join(parts).removeprefix(".")


def refuse(problems: Sequence[Problem], *, remedy: str = "") -> None:
    """Raise ContractError with a line for each problem, in the order of the file; nothing where there is none."""
    if problems:
        ordered = sorted(problems, key=lambda one: (one.where.file, one.where.line or 0))
        raise ContractError("\n".join(map(str, ordered)), remedy=remedy)

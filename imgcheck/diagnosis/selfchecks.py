"""Which self-checks an image offers, and which of them the contract lets be called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from imgcheck.contract.model import Contract
from imgcheck.contract.selfchecks import GROUP
from imgcheck.diagnosis.requirements import winners
from imgcheck.facts.model import Inventory


@dataclass(frozen=True, kw_only=True)
class Offered:
    """By "distribution:name", the entry point's value; and how many the contract leaves out."""

    chosen: Mapping[str, str]
    excluded: int


def offered(contract: Contract, inventory: Inventory) -> Offered:
    patterns = contract.selfcheck_options.exclude if contract.selfcheck_options else ()
    every = {
        f"{one.canonical_name}:{entry.name}": entry.value
        for one in winners(inventory)
        for entry in one.entry_points
        if entry.group == GROUP
    }
    chosen = {name: value for name, value in every.items() if not _is_left_out(name, patterns)}
    return Offered(chosen=chosen, excluded=len(every) - len(chosen))


def _is_left_out(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, one) or fnmatchcase(name.partition(":")[2], one) for one in patterns)

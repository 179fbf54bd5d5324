"""Modules that the contract asks for and nobody tried to import: nothing tried is nothing kept."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from imgcheck.contract.model import Contract, Imports
from imgcheck.diagnosis.sweep import Verdicts
from imgcheck.outcome import Fault


def absent_modules(contract: Contract, verdicts: Verdicts) -> Iterator[Fault]:
    if not verdicts.modules:
        yield Fault(
            subject="*",
            summary="No importable module was found in the image",
            expected="modules of installed distributions",
            actual="none",
            remedy="Check `python` in the contract: it may name an interpreter for which nothing is installed; "
            "and imports.exclude.",
            location=contract.where("imports"),
        )
    for name in (contract.import_options or Imports()).require:
        if not any(fnmatchcase(module, name) for module in verdicts.modules):
            yield _absent(contract, name)


def _absent(contract: Contract, name: str) -> Fault:
    return Fault(
        subject=name,
        summary=f"The required module {name} is not in the image",
        expected="importable (imports.require)",
        actual="no installed distribution has it",
        remedy=f"Install the distribution that has {name}, or correct the name.",
        location=contract.where("imports", "require"),
    )

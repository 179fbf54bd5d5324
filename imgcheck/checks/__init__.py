"""The checks, one file each: pure functions from contract and facts to what was looked at and what was wrong."""

from __future__ import annotations

from typing import Final

from imgcheck.checks import (
    clashing_imports,
    crashing_import,
    empty_distribution,
    exiting_import,
    failed_probe,
    hanging_import,
    missing_pin,
    moved_pin,
    unimportable_module,
    unmet_requirement,
    unprovided_import,
    unreadable_module,
    wrong_python,
)
from imgcheck.checks.check import Check, Needs

__all__ = ["CHECKS", "Check", "Needs"]

CHECKS: Final[tuple[Check, ...]] = (
    moved_pin.CHECK,
    missing_pin.CHECK,
    unmet_requirement.CHECK,
    wrong_python.CHECK,
    empty_distribution.CHECK,
    unimportable_module.CHECK,
    crashing_import.CHECK,
    hanging_import.CHECK,
    exiting_import.CHECK,
    clashing_imports.CHECK,
    unprovided_import.CHECK,
    unreadable_module.CHECK,
    failed_probe.CHECK,
)

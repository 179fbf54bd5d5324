"""The checks, one file each: pure functions from contract and facts to what was looked at and what was wrong."""

from __future__ import annotations

from typing import Final

from imgcheck.checks import (
    altered_file,
    clashing_imports,
    contested_file,
    crashing_import,
    dangling_environment,
    dangling_path,
    dead_script,
    duplicate_metadata,
    empty_distribution,
    exiting_import,
    failed_probe,
    foreign_wheel,
    hanging_import,
    missing_file,
    missing_pin,
    moved_pin,
    shadowed_module,
    unimportable_module,
    unloadable_entry_point,
    unmet_requirement,
    unowned_package,
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
    duplicate_metadata.CHECK,
    empty_distribution.CHECK,
    missing_file.CHECK,
    contested_file.CHECK,
    altered_file.CHECK,
    dangling_path.CHECK,
    shadowed_module.CHECK,
    unowned_package.CHECK,
    foreign_wheel.CHECK,
    dead_script.CHECK,
    unimportable_module.CHECK,
    crashing_import.CHECK,
    hanging_import.CHECK,
    exiting_import.CHECK,
    clashing_imports.CHECK,
    unloadable_entry_point.CHECK,
    unprovided_import.CHECK,
    unreadable_module.CHECK,
    failed_probe.CHECK,
    dangling_environment.CHECK,
)

"""Pins and constraints files as one file for pip and uv, and what contradicts what."""

from imgcheck.constraints.lines import ConstraintLine, ConstraintsFile, read_constraints
from imgcheck.constraints.merging import Merged, further_files, installed_conflicts, merge, pin_lines
from imgcheck.constraints.places import constraint_paths, unread_constraints

__all__ = [
    "ConstraintLine",
    "ConstraintsFile",
    "Merged",
    "constraint_paths",
    "further_files",
    "installed_conflicts",
    "merge",
    "pin_lines",
    "read_constraints",
    "unread_constraints",
]

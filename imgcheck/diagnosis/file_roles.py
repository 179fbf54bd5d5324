"""What a file of a distribution is for: whether a program can miss it."""

from __future__ import annotations

from enum import Enum
from pathlib import PurePosixPath
from typing import Final

_TESTS: Final = frozenset({"tests", "test", "_tests"})
_ASIDE: Final = frozenset({"benchmark", "benchmarks", "doc", "docs", "example", "examples", "sample", "samples"})
"""Top-level folders that careless packaging leaves in wheels (setuptools' reserved names in its flat layout)."""
_CODE: Final = frozenset({".py", ".so", ".pyd", ".dylib", ".dll", ".pth"})
_IDLE: Final = frozenset(
    {".c", ".cc", ".cpp", ".cu", ".cuh", ".f", ".f90", ".h", ".hpp", ".html", ".in", ".ipynb", ".jpg", ".md", ".pxd"}
    | {".mo", ".po", ".pot", ".pxi", ".pyi", ".pyx", ".rst", ".tex", ".txt", ".typed"}
)
"""Without a translation (.mo) gettext gives the text itself."""
_DOCUMENTATION: Final = frozenset({".md", ".rst"})
_NATIVE: Final = frozenset({".a", ".bc", ".cubin", ".cuh", ".fatbin", ".h", ".hpp", ".ptx", ".so"})
_IDLE_NAMES: Final = (
    "license",
    "licence",
    "copying",
    "notice",
    "authors",
    "changelog",
    "readme",
    "meson.build",
    "py.typed",
)
_READ_METADATA: Final = frozenset({"METADATA", "entry_points.txt", "PKG-INFO", "top_level.txt"})


class Role(str, Enum):
    CODE = "code"
    DATA = "data"
    TESTS = "tests"
    IDLE = "documentation, translations, headers and type stubs"


def role_of(path: str) -> Role:
    """By the place and the ending of a path below site-packages."""
    pure = PurePosixPath(path)
    name = pure.name.lower()
    if not _TESTS.isdisjoint(pure.parts[:-1]) or pure.parts[0] in _ASIDE:
        return Role.TESTS
    if any(part.endswith((".dist-info", ".egg-info")) for part in pure.parts[:-1]):
        return Role.DATA if pure.name in _READ_METADATA else Role.IDLE
    if pure.suffix in _CODE or ".so." in name:
        return Role.CODE
    if pure.suffix in _IDLE or len(pure.parts) == 1 or name.startswith(_IDLE_NAMES):
        return Role.IDLE
    return Role.DATA


def is_documentation(path: str) -> bool:
    """A readme, a licence and the like, wherever it lies."""
    pure = PurePosixPath(path)
    return pure.suffix in _DOCUMENTATION or pure.name.lower().startswith(_IDLE_NAMES)


def is_native(path: str) -> bool:
    """A library, an archive of one, device code or a header: of use to programs that import nothing from there."""
    pure = PurePosixPath(path)
    return pure.suffix in _NATIVE or ".so." in pure.name


def is_needed(path: str) -> bool:
    """A program may need it at run time."""
    return role_of(path) in (Role.CODE, Role.DATA)

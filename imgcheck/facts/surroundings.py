"""Typed twin of the collector's surroundings.py: variables, paths, scripts, entry points, front folders."""

from __future__ import annotations

from typing import Literal

from imgcheck.facts.strict import FactModel, Name, Text


class PathFacts(FactModel):
    """What is at a path for this user. `nearest` is the innermost folder on the way that is there."""

    path: Name
    kind: Literal["file", "folder", "other", "missing", "dangling", "closed"]
    mode: int
    uid: int
    gid: int
    size: int
    writable: bool
    entries: int = -1
    """How many names a folder holds, as far as can be seen."""
    nearest: Name = ""
    nearest_writable: bool = False


class TextFacts(FactModel):
    """The beginning of a file; None where it cannot be read."""

    path: Name
    text: Text | None
    whole: bool


class Shadow(FactModel):
    """A module in a front folder that hides another one, which would be imported without it."""

    name: Name
    path: Name
    why: Literal["entry script", "working folder", "PYTHONPATH"]
    hidden: Name
    namespace: bool
    """The hidden one is a namespace package's portion."""
    same: bool
    """Both are one file, or have the same content."""


class ScriptFacts(FactModel):
    """A script's first line, and what became of it."""

    path: Name
    interpreter: Name
    """What the first line names; of a link that leads nowhere, the last link of the way."""
    state: Literal[
        "fine",
        "absent",
        "not-executable",
        "carriage-return",
        "interpreter-absent",
        "interpreter-not-executable",
        "loader-absent",
        "other-machine",
        "unknown-format",
        "dangling",
    ]
    target: Name
    """Where the interpreter was found, where a link leads that leads nowhere, the loader, or the machine."""


class EntryPointFacts(FactModel):
    """An entry point, looked up without importing. `binds` is None where only running the module can tell."""

    distribution: Name
    """metadata_path of its distribution."""
    group: Name
    name: Name
    value: Name
    module: Name
    found: Name
    """The module's file; empty where sys.path does not lead to one."""
    binds: bool | None


class Surroundings(FactModel):
    """What surrounds the distributions."""

    environment: tuple[tuple[Name, Text], ...] = ()
    paths: tuple[PathFacts, ...] = ()
    texts: tuple[TextFacts, ...] = ()
    commands: tuple[tuple[Name, Name], ...] = ()
    """Names that were asked for, and where PATH leads; empty where nowhere."""
    locale: Text = ""
    """Why the locale that variables ask for cannot be set."""
    zone: Name = ""
    """The file of the time zone that TZ names."""
    fronts: tuple[tuple[Name, Name], ...] = ()
    """Folders that come before the standard library, and why."""
    shadows: tuple[Shadow, ...] = ()
    scripts: tuple[ScriptFacts, ...] = ()
    command: ScriptFacts | None = None
    """What the image starts with."""
    entry_points: tuple[EntryPointFacts, ...] = ()

    def at(self, path: str) -> PathFacts | None:
        return next((one for one in self.paths if one.path == path), None)

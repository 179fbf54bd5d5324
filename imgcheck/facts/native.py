"""Typed twin of the collector's native.py: native files, and how the loader fares with them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from imgcheck.facts.strict import FactModel, Name, Text

Rule = Literal["", "loaded", "path", "rpath", "environment", "runpath", "cache", "default"]


class NeededLibrary(FactModel):
    """A library that a file names (DT_NEEDED), where it is found, and by which of the loader's rules."""

    name: Name
    found: Name | None
    how: Rule = ""
    shadows: Name = ""
    """The file in its own RUNPATH that LD_LIBRARY_PATH keeps it from."""


class MissingLibrary(FactModel):
    """A library that nothing in the loader's search leads to, needed by the file or by what it brings in."""

    name: Name
    needed_by: Name
    elsewhere: tuple[Name, ...] = ()
    """Files of that name that other distributions, or named folders, have: loaded first, they would serve."""


class BorrowedSymbol(FactModel):
    """A symbol that only a file outside the closure defines."""

    symbol: Text
    file: Name


class MissingVersion(FactModel):
    """A symbol version that the library found does not define; `newest` is the last one of its kind that it does."""

    library: Name
    version: Name
    newest: Name = ""


class GpuContainer(FactModel):
    """Variants of one compilation, of which the driver takes one; `count` containers of a file are alike."""

    entries: tuple[tuple[Name, Name, Name], ...]
    """(kind: sass, ptx or lto; architecture as nvcc writes it behind sm_; PTX instruction set, or format)."""
    count: int


class GpuCode(FactModel):
    """What a file's `.nv_fatbin` section holds."""

    containers: tuple[GpuContainer, ...]
    problem: Text = ""


class Compatibility(FactModel):
    """What a forward-compatibility driver says of itself: its CUDA, and the host driver branches it may run on."""

    cuda: Name
    drivers: tuple[int, ...]


class DriverCopy(FactModel):
    """A libcuda of the image: a stub for linking, a forward-compatibility driver, or one that has no place there."""

    path: Name
    version: Name = ""
    size: int
    reached: tuple[Name, ...] = ()
    """Folders of the loader's search that lead to it under a name that programs load."""
    stub: bool
    compatibility: Compatibility | None = None


class Toolkit(FactModel):
    """A CUDA toolkit under /usr/local."""

    path: Name
    version: Name


class NativeFile(FactModel):
    """A shared object or a program."""

    path: Name
    distribution: Name
    """Empty for a file of a named folder."""
    also: tuple[Name, ...] = ()
    machine: Name
    bits: int
    program: bool = False
    module: Name = ""
    """Dotted name, where it is an extension module."""
    guarded: bool | None = None
    """Its own distribution imports it only where a failure is caught, or later; None where no statement does."""
    soname: Name = ""
    rpath: tuple[Text, ...] = ()
    runpath: tuple[Text, ...] = ()
    needed: tuple[NeededLibrary, ...] = ()
    missing: tuple[MissingLibrary, ...] = ()
    undefined: tuple[Text, ...] = ()
    """The first strong undefined symbols that no file read defines."""
    undefined_count: int = 0
    elsewhere: tuple[BorrowedSymbol, ...] = ()
    elsewhere_count: int = 0
    versions: tuple[MissingVersion, ...] = ()
    problem: Text = ""
    """Why it could not be read to its end."""
    gpu: GpuCode | None = None

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


class NativeFacts(FactModel):
    """All native files, and the loader of the image's interpreter."""

    files: tuple[NativeFile, ...]
    machine: Name
    environment: tuple[Name, ...] = ()
    """Folders of LD_LIBRARY_PATH."""
    drivers: tuple[DriverCopy, ...] = ()
    toolkits: tuple[Toolkit, ...] = ()
    ptx: dict[Name, Name] = Field(default_factory=dict)
    """PTX instruction set -> CUDA, as the image's own cuda-bindings has it."""
    cpu_seconds: float = 0.0

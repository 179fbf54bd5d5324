"""Typed twin of the collector's files.py: what is listed, against what is there."""

from __future__ import annotations

from typing import Literal

from imgcheck.facts.strict import FactModel, Name


class AlteredFile(FactModel):
    """A file that is not what its owner lists. Sizes in bytes; -1 where none is listed."""

    path: Name
    by: Literal["size", "hash"]
    size: int
    recorded: int


class OwnerFiles(FactModel):
    """One list of files, compared with the disk. Bytecode is left out; lists are cut off, counts are whole."""

    kind: Literal["record", "installed-files", "dpkg", "apk", "conda"]
    name: Name
    version: Name
    location: Name
    metadata_path: Name
    """The distribution's metadata, or the file in which a package manager lists."""
    packaged: Name = ""
    """The package that brought the distribution, as "dpkg python3-numpy"; empty where none did."""
    listed: int
    hashed: int
    """Files that were read and whose hash is compared."""
    unhashed: int
    """Files of which only the size, or nothing, is compared."""
    unreadable: int
    shared: int
    """Files that others list as well, and that are told with those."""
    sourceless: int = 0
    """Sources that are not there, and whose bytecode is, where Python loads it without them."""
    rewritten: int
    """Scripts outside the location whose content differs: installers and moves rewrite their first line."""
    code_files: int = 0
    code_bytes: int = 0
    """Sources and shared objects that are there, and how much is in them."""
    other_files: int = 0
    """What else is there, the metadata left out."""
    missing: tuple[Name, ...]
    missing_count: int
    altered: tuple[AlteredFile, ...]
    altered_count: int


class ContestedFile(FactModel):
    """A file that several distributions list with different hashes."""

    path: Name
    winner: Name
    """metadata_path of the one whose hash is on disk; empty where it is nobody's or was not hashed."""
    namespace: bool
    """An empty __init__.py, or one of the older kinds of namespace packages."""


class ContestedFiles(FactModel):
    """All files that the same distributions list."""

    owners: tuple[Name, ...]
    """metadata_path of each."""
    names: tuple[Name, ...]
    files: int
    same: int
    """How many of them they list with the same hash."""
    different: tuple[ContestedFile, ...]
    different_count: int
    won: tuple[int, ...]
    """Of the different ones, how many are as each owner lists them."""
    untold: int


class DanglingPath(FactModel):
    """Something that leads to what is not there."""

    kind: Literal["pth", "finder", "egg-link", "symlink"]
    source: Name
    target: Name
    line: int = 0
    owner: Name = ""
    """metadata_path of the distribution that lists `source`, or the package as "dpkg python3-numpy"."""


class UnownedFiles(FactModel):
    """Importable files of one top-level name that nobody lists."""

    root: Name
    name: Name
    inside: bool
    """Other files of that name are somebody's."""
    files: int
    paths: tuple[Name, ...]


class ForeignFile(FactModel):
    """A shared object for another machine (`machine` is ELF's e_machine), or for another Python's ABI."""

    path: Name
    machine: int
    other_abi: Name = ""
    owner: Name = ""
    """As DanglingPath.owner."""


class BeyondFiles(FactModel):
    """Files that a distribution lists outside of the prefix it is installed to."""

    owner: Name
    files: int
    paths: tuple[Name, ...]


class FileFacts(FactModel):
    """One look at all files of site-packages."""

    owners: tuple[OwnerFiles, ...] = ()
    contested: tuple[ContestedFiles, ...] = ()
    dangling: tuple[DanglingPath, ...] = ()
    unowned: tuple[UnownedFiles, ...] = ()
    foreign: tuple[ForeignFile, ...] = ()
    beyond: tuple[BeyondFiles, ...] = ()
    leftovers: tuple[Name, ...] = ()
    roots: tuple[Name, ...] = ()
    """Folders of sys.path that installers write to."""
    closed: tuple[Name, ...] = ()
    """Folders in them that this user cannot list."""
    machine: int = 0
    """The interpreter's e_machine."""
    unlisted: Name = ""
    """A package manager whose lists were not read."""
    packaged: tuple[tuple[Name, Name], ...] = ()
    """Metadata of distributions that a package manager brought, and its package."""
    without_list: tuple[Name, ...] = ()
    """Metadata of distributions that have no list of their own."""

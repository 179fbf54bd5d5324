"""What a Dockerfile and its requirement files say that a build will install, read without building."""

from __future__ import annotations

from typing import Literal

from imgcheck.facts.strict import FactModel, Name, Text

Tool = Literal["pip", "uv pip", "uv", "conda", "apt", "project"]


class Place(FactModel):
    """A line of a file, counted from 1."""

    file: Name
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Wanted(FactModel):
    """A requirement that an install line, or a file that it names, asks for.

    Args:
        text: as written.
        name: canonical; empty where an address does not tell it.
        specifier: of its versions (PEP 440).
        pinned: exactly one version, or one address, meets it.
        hashed: it names hashes.
        applies: its marker holds in the base, as far as can be told.
    """

    text: Text
    place: Place
    name: Name = ""
    specifier: Name = ""
    pinned: bool = False
    hashed: bool = False
    applies: bool = True


class Install(FactModel):
    """One command that installs.

    Args:
        verb: what it does: install, sync, add.
        command: as people wrote it, secrets masked.
        on_base: its stage goes back to the contract's base.
        image: what its stage is FROM in the end.
        options: names of the options that matter, in their long form.
        wanted: all that it asks for by name or file.
        files: requirement files, as paths of the build context.
        unread: what it names and could not be read, with the reason.
        bypass: why the contract's constraints are not in force there; empty where they are.
        limited: canonical names that its own constraint files limit.
    """

    place: Place
    tool: Tool
    verb: Name
    command: Text
    on_base: bool
    image: Name
    options: tuple[Name, ...] = ()
    wanted: tuple[Wanted, ...] = ()
    files: tuple[Name, ...] = ()
    unread: tuple[Text, ...] = ()
    bypass: Text = ""
    limited: tuple[Name, ...] = ()


class ImageUse(FactModel):
    """An image that a stage is FROM, or that is copied from; the contract's base is left out."""

    place: Place
    reference: Name
    tag: Name = ""
    digest: bool = False


class Download(FactModel):
    """An ADD from the network. `checked`: its checksum, or a commit, is named."""

    place: Place
    address: Name
    checked: bool


class Unread(FactModel):
    """What cannot be told without running it."""

    place: Place
    what: Text


class Attempt(FactModel):
    """A resolution of what one install asks for, in the base, under the constraints.

    Args:
        message: why there is no solution; empty where there is one.
        ways: ways out that were tried.
        unverified: it could not be tried, and `message` says why.
    """

    place: Place
    subject: Name
    message: Text = ""
    ways: Text = ""
    log: Text = ""
    unverified: bool = False


class PlanFacts(FactModel):
    """Of all stages that the target needs, in their order. `instructions` counts what was read."""

    dockerfile: Name
    instructions: int = 0
    target: Name = ""
    installs: tuple[Install, ...] = ()
    images: tuple[ImageUse, ...] = ()
    downloads: tuple[Download, ...] = ()
    unread: tuple[Unread, ...] = ()
    attempts: tuple[Attempt, ...] = ()

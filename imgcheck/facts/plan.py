"""What a Dockerfile and its requirement files say that a build will install, read without building."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

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
        text: as written, secrets masked.
        raw: as written; never shown.
        name: canonical; empty where an address does not tell it.
        specifier: of its versions (PEP 440).
        pinned: exactly one version, or one address, meets it.
        hashed: it names hashes.
        applies: its marker holds in the base, as far as can be told.
    """

    text: Text
    place: Place
    raw: Text = Field(default="", repr=False)
    name: Name = ""
    specifier: Name = ""
    pinned: bool = False
    hashed: bool = False
    applies: bool = True


class IndexChoice(FactModel):
    """Where an install looks for distributions. Never shown: addresses may hold credentials.

    Args:
        options: of its command line, by their long names, each with its values.
        variables: PIP_* and UV_* that are set there, the constraints' left out.
        unknown: names of options whose value only running it would tell.
    """

    options: tuple[tuple[Name, tuple[Text, ...]], ...] = ()
    variables: tuple[tuple[Name, Text], ...] = ()
    unknown: tuple[Name, ...] = ()


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
        limits: those files, as paths of the build context.
        index: where it looks for distributions.
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
    limits: tuple[Name, ...] = ()
    index: IndexChoice = Field(default=IndexChoice(), repr=False)


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
        subject: the install, by what it asks for; of a conflict the requirement that is at odds with a pin.
        message: why there is no solution; empty where there is one.
        ways: ways out that were tried.
        pin: the pinned distribution, by canonical name, that a conflict is about.
        requirement: who asks for what, in a conflict; `asked_at` is the line that began it.
        log: the resolver's own words, where they tell more.
        unverified: whether there is a solution could not be told, and `message` says why.
        left_out: what was asked for and not resolved: paths of the build context, files that only the image has.
        known_since: when an earlier run found the solution of this very question; empty for one found now.
    """

    place: Place
    subject: Name
    message: Text = ""
    ways: tuple[Text, ...] = ()
    pin: Name = ""
    requirement: Text = ""
    asked_at: Place | None = None
    log: Text = ""
    unverified: bool = False
    left_out: tuple[Text, ...] = ()
    known_since: Name = ""


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

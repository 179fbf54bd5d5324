"""What a file of tests/cases says: how to make an image with a fault, what is to be said of it, and the way out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import NormalizedName, canonicalize_name
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

FOLDER = Path(__file__).parents[1] / "cases"


class CaseError(Exception):
    """A file of tests/cases is wrong; the message names the file and the key."""


def _pinned(text: str) -> str:
    try:
        specifier = list(Requirement(text).specifier)
    except InvalidRequirement as error:
        raise ValueError(f"{text!r}: {error}") from None
    if [(one.operator, one.version.endswith(".*")) for one in specifier] != [("==", False)]:
        raise ValueError(f"{text!r} is not pinned; write name==1.2.3, so that a repeat makes the same image")
    return text


def plain(requirement: str) -> str:
    """A requirement without its extras."""
    parsed = Requirement(requirement)
    return f"{parsed.name}{parsed.specifier}"


def name_of(requirement: str) -> NormalizedName:
    return canonicalize_name(Requirement(requirement).name)


Pinned = Annotated[str, AfterValidator(_pinned)]


class Model(BaseModel):
    """Frozen, and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Section(Model):
    """What a build adds to an image, in this order: packages of the system, distributions, further steps."""

    apt: tuple[str, ...] = ()
    requirements: tuple[Pinned, ...] = ()
    """What a user asks pip for."""
    pins: tuple[Pinned, ...] = ()
    """All that these lead to."""
    wheels: tuple[Pinned, ...] = ()
    """Distributions that `steps` find under /wheels, when they mount it."""
    source: tuple[str, ...] = ()
    """Those of them that come as source alone; their wheel is built in a container."""
    no_deps: bool = False
    """Install without looking at what the requirements require."""
    steps: tuple[str, ...] = ()
    """Lines of a Dockerfile."""

    @property
    def installed(self) -> tuple[str, ...]:
        """What pip is held to, extras left out."""
        return tuple(dict.fromkeys(map(plain, (*self.requirements, *self.pins))))

    @property
    def distributions(self) -> tuple[str, ...]:
        """All that has to be in the folder of wheels."""
        return tuple(dict.fromkeys((*self.installed, *map(plain, self.wheels))))

    @model_validator(mode="after")
    def _source_is_listed(self) -> Section:
        listed = {name_of(one) for one in self.distributions}
        for name in self.source:
            if canonicalize_name(name) not in listed:
                raise ValueError(f"source: {name!r} is in none of requirements, pins and wheels")
        return self


class Expected(Model):
    checks: Annotated[tuple[str, ...], Field(min_length=1)]
    """Names of the checks that are to say it, each of them."""
    subject: str = "*"
    """What it is said of, as a pattern."""
    culprit: str
    """What has to be named: the distribution, file or variable that did it."""


Lines = dict[str, Any]


class Case(Model):
    """A failure that really happened."""

    id: Annotated[str, Field(pattern=r"^[A-Z]\d\d[A-Z]?$")]
    title: str
    kind: Annotated[str, Field(pattern=r"^[A-K](\+[A-K])*$")]
    source: str
    """The public report."""
    small: bool
    """Under 150 MB installed, and without torch."""
    visible: bool
    """Importing every module, the difference to the base, or starting a server shows it."""
    root: Literal["bullseye", "bookworm", "trixie"] = "bookworm"
    base: Section | None = None
    """The image before the damage; the contract is frozen from it. None: there is no base."""
    image: Section
    twin: Section
    """In place of `image`: the way out."""
    contract: Lines = {}
    """Lines that this image's contract has in any case."""
    asked: Lines = {}
    """Lines that only the image's owner can know, and without which it cannot be told."""
    expected: Expected
    plain_import: Annotated[str, Field(pattern=r"^[A-Za-z_][\w.]*$")]
    """The top-level name that a user would try."""
    note: str = ""


class Healthy(Model):
    """An image with nothing wrong in it."""

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    title: str
    small: bool
    root: Literal["bullseye", "bookworm", "trixie"] = "bookworm"
    image: Section = Section()
    script: str = ""
    """A script of this repository that makes the image and prints its reference, in place of `image`."""
    contract: Lines = {}

    @model_validator(mode="after")
    def _is_made_one_way(self) -> Healthy:
        if bool(self.script) == (self.image != Section()):
            raise ValueError("needs either 'image' or 'script'")
        return self


CaseT = TypeVar("CaseT", Case, Healthy)


def cases(folder: Path = FOLDER) -> tuple[Case, ...]:
    """All failures, in the order of their names."""
    return tuple(_all(folder, Case))


def healthy(folder: Path = FOLDER / "healthy") -> tuple[Healthy, ...]:
    """All healthy images, in the order of their names."""
    return tuple(_all(folder, Healthy))


def _all(folder: Path, model: type[CaseT]) -> Iterator[CaseT]:
    for path in sorted(folder.glob("*.yaml")):
        found = load(path, model)
        if found.id != path.stem:
            raise CaseError(f"{path}: id: is {found.id!r}, and the file is {path.name}")
        yield found


def load(path: Path, model: type[CaseT]) -> CaseT:
    """One file.

    Raises:
        CaseError: with a line for each thing that is wrong, naming file and key.
    """
    try:
        raw: Any = YAML(typ="safe").load(path.read_text("utf-8"))
    except YAMLError as error:
        raise CaseError(f"{path}: {error}") from None
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        lines = (f"{path}: {'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        raise CaseError("\n".join(lines)) from None

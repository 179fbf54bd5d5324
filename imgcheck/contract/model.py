"""The contract as frozen values. The loader alone makes them; every rule on a single value lives here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PrivateAttr,
    field_validator,
)

from imgcheck.contract.image import Artifact, ImagePromises, Smoke
from imgcheck.contract.probes import Probe
from imgcheck.contract.runtime import Runtime
from imgcheck.contract.selfchecks import SelfChecks
from imgcheck.contract.values import DistributionName, ImagePath, Model, Seconds, Size
from imgcheck.outcome import Location

SCHEMA_VERSION = 1
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def _specifier(text: str) -> str:
    """A bare version means exactly that version; anything else is a specifier set (PEP 440)."""
    try:
        Version(text)
    except InvalidVersion:
        try:
            SpecifierSet(text)
        except InvalidSpecifier:
            raise ValueError(
                f"{text!r} is neither a version nor a specifier; write 4.25.3, or '>=1.26,<2' with quotes"
            ) from None
    return text


def _digest(text: str) -> str:
    if not _DIGEST.fullmatch(text):
        raise ValueError(f"{text!r} is no digest; it is 'sha256:' and 64 hexadecimal digits")
    return text


def _day(value: Any) -> Any:
    """A calendar day as it is written; pydantic alone would take seconds since 1970 as well."""
    if not isinstance(value, str):
        return value
    try:
        return date.fromisoformat(value if _DAY.fullmatch(value) else "")
    except ValueError:
        raise ValueError(f"{value!r} is no date; write 2027-01-31") from None


def _capability(text: str) -> str:
    if not re.fullmatch(r"\d{1,2}\.\d", text):
        raise ValueError(f'{text!r} is no compute capability; write "8.0", with quotes')
    return text


def _driver(text: str) -> str:
    if not re.fullmatch(r"\d{3}(\.\d+){0,2}", text):
        raise ValueError(f'{text!r} is no driver version; write "550.54", with quotes')
    return text


PinSpecifier = Annotated[str, AfterValidator(_specifier)]
Digest = Annotated[str, AfterValidator(_digest)]
Day = Annotated[date, BeforeValidator(_day)]
OsVersion = Annotated[str, Field(min_length=1)]
Capability = Annotated[str, AfterValidator(_capability)]
DriverVersion = Annotated[str, AfterValidator(_driver)]


class Base(Model):
    image: str = Field(min_length=1)
    """The base image's reference, as a Dockerfile's FROM names it."""
    digest: Digest | None = None
    """The base's content: a repository digest, or the image ID of an image that no registry has."""


class Requires(Model):
    allow: tuple[str, ...] = ()
    """Requirements that may stay unmet, as "distribution -> requirement name" or a distribution's name."""


class Imports(Model):
    exclude: tuple[str, ...] = ()
    """Modules that are not imported, as names or patterns: foo.win32, foo.experimental.*"""
    require: tuple[str, ...] = ()
    """Modules that must be importable, whatever the base does."""
    strict: bool = False
    """Optional extras that are not installed, and modules for other platforms, break the contract too."""
    tests: bool = False
    """Import the tests inside packages as well."""
    together: Annotated[tuple[str, ...], Field(max_length=200)] | None = None
    """Modules that one process imports, in this order and reversed; unset: those of what was asked for by name."""
    method: Literal["walk", "tree", "exact"] = "walk"
    """How: `walk`, all in watched processes, and alone whatever that does not prove; `tree`, siblings share a process
    where that cannot matter; `exact`, each module in a process of its own, which is the dearest."""
    timeout: Seconds = 60
    """Seconds a module may take."""
    jobs: Annotated[int, Field(ge=1, le=64)] = 2
    """Imports that run side by side."""
    memory: Size | None = None
    """Memory a module may take."""


class Native(Model):
    folders: tuple[ImagePath, ...] = ()
    """Further folders of the image whose native files must load, too."""


class Gpu(Model):
    """The GPUs and the driver that the image will run on."""

    capabilities: tuple[Capability, ...] = ()
    """Compute capabilities of the fleet: "8.0", "9.0"."""
    driver: DriverVersion | None = None
    """The oldest driver of the fleet: "550.54"."""


JitName = Literal["triton", "torch-compile", "torch-extensions", "cuda-extensions"]


class Kernel(Model):
    """A function that numba or Triton compiles, and the signature that a job calls it with."""

    function: str = Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$")
    """As "package.module:function"."""
    signature: str | dict[str, str | int | bool]
    """numba's, as "float64(float64[:])"; for Triton each argument's type or constant: {x: "*fp32", BLOCK: 128}."""


class Scripts(Model):
    exclude: tuple[str, ...] = ()
    """Names or patterns of console scripts that are not run."""
    within: Seconds = 30
    """Seconds a script may take."""


class Constraints(Model):
    files: tuple[str, ...] = ()
    """Further constraints files, beside the contract, that are merged in."""
    build: bool = False
    """Put the constraints in force inside isolated source builds too (PIP_BUILD_CONSTRAINT)."""


class Waiver(Model):
    """A finding that is accepted until a date."""

    check: str
    subject: str
    reason: str = Field(min_length=1)
    owner: str = Field(min_length=1)
    until: Day


class Contract(Model):
    """What an image promises. `where` tells the line of each promise."""

    imgcheck: Literal[1]
    """The version of the form."""
    extends: str | None = Field(default=None, min_length=1, exclude=True)
    """Another contract, by its path from this file; the loader has merged it in."""
    base: Base | None = None
    """The image that images under this contract are built on."""
    python: str | None = None
    """The Python version ("3.11", "3.11.7"), or the path of the interpreter to use."""
    pins: dict[DistributionName, PinSpecifier] = Field(default_factory=dict)
    """Distributions that must not move: a version means exactly this, a specifier what fits."""
    locks: tuple[str, ...] = ()
    """Locks beside the contract: what is installed beside the base's own is in one of them, at that version."""
    protect: tuple[DistributionName, ...] = ()
    """Distributions of which the same version is not enough: the very build that the base has."""
    requires: bool | Requires = False
    """Installed metadata is consistent: each Requires-Dist is met."""
    imports: bool | Imports = False
    """Every module of every distribution can be imported."""
    probes: tuple[str | Probe, ...] = ()
    """Built-in probes by name, and probes of your own."""
    selfchecks: bool | Literal["required"] | SelfChecks = True
    """Entry points of the group imgcheck.selfcheck are called: `required`, one must be there; false, none is called."""
    os_packages: dict[str, OsVersion] = Field(default_factory=dict)
    """Packages of the operating system: exactly this version, 12.4.* for all that begin so, or "installed"."""
    native: bool | Native = False
    """Every native file of every distribution finds its libraries, symbols and versions."""
    jit: bool | tuple[JitName, ...] = False
    """What installed distributions compile at run time can be compiled: all that is known of, or these."""
    kernels: tuple[Kernel, ...] = ()
    """Functions that must compile for their signature; GPU ones for each of gpu.capabilities."""
    gpu: Gpu | None = None
    """The fleet's GPUs and driver; the image's GPU code must run there."""
    runtime: Runtime = Runtime()
    """How the cluster runs the image; imports and probes run the same way."""
    image: ImagePromises = ImagePromises()
    """The image's own configuration, files and commands."""
    models: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    """What logged models say they need: python_env.yaml, requirements.txt, conda.yaml, or a folder that holds them; by
    the path from this contract, or by an absolute path inside the image."""
    scripts: bool | Scripts = False
    """Each console script is run with --help, and must not end with a traceback or a signal."""
    smoke: tuple[Smoke, ...] = ()
    """Lines that must run, each in a fresh process."""
    artifacts: tuple[ImagePath | Artifact, ...] = ()
    """Files that must load with what is installed."""
    assets: tuple[ImagePath, ...] = ()
    """Files and folders that must be in the image, and must not be empty."""
    constraints: Constraints = Constraints()
    """What is in force in a build besides the pins."""
    waivers: tuple[Waiver, ...] = ()
    """Findings that are accepted until a date."""

    _path: str = PrivateAttr(default="")
    _digest: str = PrivateAttr(default="")
    _positions: Mapping[tuple[str, ...], Location] = PrivateAttr(default_factory=dict)
    _left_out: tuple[str, ...] = PrivateAttr(default=())

    def written_at(
        self,
        *,
        path: str,
        digest: str,
        positions: Mapping[tuple[str, ...], Location],
        left_out: tuple[str, ...] = (),
    ) -> Contract:
        """This contract, knowing where it is written, and what of an included object it could not take along."""
        placed = self.model_copy()
        placed._path, placed._digest, placed._positions = path, digest, positions  # noqa: SLF001 - its own class
        placed._left_out = left_out  # noqa: SLF001 - its own class
        return placed

    @property
    def left_out(self) -> tuple[str, ...]:
        """What of an included Kubernetes object is not in `runtime`."""
        return self._left_out

    @property
    def path(self) -> str:
        return self._path

    @property
    def digest(self) -> str:
        """sha256 of the contract's meaning: of all files it extends, comments and layout left out."""
        return self._digest

    @property
    def import_options(self) -> Imports | None:
        """The import sweep's options; None where the contract does not ask for it."""
        if isinstance(self.imports, Imports):
            return self.imports
        return Imports() if self.imports else None

    @property
    def script_options(self) -> Scripts | None:
        """How console scripts are run; None where the contract does not ask for it."""
        if isinstance(self.scripts, Scripts):
            return self.scripts
        return Scripts() if self.scripts else None

    @property
    def selfcheck_options(self) -> SelfChecks | None:
        """How self-checks are called; None where the contract forbids it."""
        if isinstance(self.selfchecks, SelfChecks):
            return self.selfchecks
        return SelfChecks(required=self.selfchecks == "required") if self.selfchecks else None

    @property
    def native_options(self) -> Native:
        """Which native files are read beside those of distributions."""
        return self.native if isinstance(self.native, Native) else Native()

    @property
    def interpreter(self) -> str | None:
        """The interpreter's path, where `python` names one."""
        return self.python if self.python and self.python.startswith("/") else None

    def where(self, *keys: str) -> Location | None:
        """The place of the nearest written key on the way, such as of "pins", "protobuf"."""
        for length in range(len(keys), -1, -1):
            found = self._positions.get(keys[:length])
            if found:
                return found
        return None

    @field_validator("python")
    @classmethod
    def _version_or_path(cls, text: str | None) -> str | None:
        if text is None or text.startswith("/") or re.fullmatch(r"3\.\d+(\.\d+)?", text):
            return text
        raise ValueError(f"{text!r} is neither a version like 3.11 nor an absolute path of an interpreter")


def specifier_set(pin: str) -> SpecifierSet:
    """A pin as packaging's specifier set: a bare version means exactly it."""
    try:
        Version(pin)
    except InvalidVersion:
        return SpecifierSet(pin, prereleases=True)
    return SpecifierSet(f"=={pin}", prereleases=True)

"""Typed twins of the collector's answers. They come out of an image, so they are parsed strictly and bounded."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Literal

from packaging.utils import canonicalize_name
from pydantic import BeforeValidator, Field, JsonValue

from imgcheck.facts.files import FileFacts
from imgcheck.facts.kernels import KernelsFacts
from imgcheck.facts.loads import LoadFacts
from imgcheck.facts.native import NativeFacts
from imgcheck.facts.os_packages import OsPackages
from imgcheck.facts.outside_model import OutsideFacts
from imgcheck.facts.plan import PlanFacts
from imgcheck.facts.probes import ProbeFacts
from imgcheck.facts.questions import QuestionFacts
from imgcheck.facts.rebuild import Locked, RebuildFacts
from imgcheck.facts.script_runs import ScriptRuns
from imgcheck.facts.selfchecks import SelfCheckFacts
from imgcheck.facts.statements import StatementFacts
from imgcheck.facts.strict import FactModel, Name, Text
from imgcheck.facts.surroundings import Surroundings
from imgcheck.facts.together import TogetherFacts
from imgcheck.facts.toolchain import ToolchainFacts

_EMPTY = BeforeValidator(lambda text: "" if text is None else text)


class Step(FactModel):
    """A build step from the image's history. `created` is seconds since the epoch."""

    created: int
    command: Text
    empty: bool


class ImageFacts(FactModel):
    """What the engine says of an image."""

    reference: str
    digest: str
    """The engine's image ID: sha256 of the configuration, or of the manifest in a containerd store."""
    repo_digests: tuple[str, ...] = ()
    os: str
    architecture: str
    variant: str = ""
    size: int
    user: str = ""
    workdir: str = ""
    env: tuple[str, ...] = ()
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    labels: dict[str, str] = Field(default_factory=dict)
    ports: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    history: tuple[Step, ...] = ()

    @property
    def content(self) -> str:
        """Digest of all that a program in the image can see: the layers, and how it is run.

        The image ID also covers labels and history, so that it differs from one commit to the next where the label
        of the revision does. Where an engine tells no layers, only the image ID is sure to name the content.
        """
        files = self.layers or (self.digest,)
        seen = (self.os, self.architecture, self.variant, files, self.env, self.user, self.workdir)
        return "sha256:" + hashlib.sha256(json.dumps([*seen, self.entrypoint, self.command]).encode()).hexdigest()

    def is_digest(self, digest: str) -> bool:
        """Whether `digest` names this content: by image ID or by a repository's digest."""
        return digest == self.digest or any(one.endswith(f"@{digest}") for one in self.repo_digests)


class InterpreterFacts(FactModel):
    executable: Name
    version: Name
    """As platform.python_version(): "3.11.7"."""
    implementation: Name
    prefix: Name
    base_prefix: Name
    path: tuple[Name, ...]
    """sys.path of a fresh interpreter, without the entry for the script."""
    markers: dict[Name, Name]
    """The environment of PEP 508 markers, as the image's own interpreter gives it."""
    extension_suffixes: tuple[Name, ...]
    platform: Name
    """sysconfig.get_platform()"""
    stdlib: tuple[Name, ...] = ()
    """Names of top-level modules of the standard library."""
    uid: int
    gid: int
    closed: tuple[Name, ...] = ()
    """Entries of its path that are there and cannot be read by this user."""


class EntryPoint(FactModel):
    group: Name
    name: Name
    value: Name


class Distribution(FactModel):
    """A distribution as its metadata on disk tells it."""

    name: Name
    version: Name
    location: Name
    """The sys.path entry that holds it."""
    metadata_path: Name
    kind: Literal["dist-info", "egg-info", "egg-link", "unknown"]
    installer: Name = ""
    requested: bool = False
    requires_dist: tuple[Text, ...] = ()
    requires_python: Name = ""
    python_classifiers: tuple[Name, ...] = ()
    """The minor versions of its classifiers, as "3.11"."""
    provides_extra: tuple[Name, ...] = ()
    top_level: tuple[Name, ...] = ()
    entry_points: tuple[EntryPoint, ...] = ()
    wheel_tags: tuple[Name, ...] = ()
    direct_url: Text = ""
    has_record: bool = False
    """RECORD, or an egg's installed-files.txt, is there and readable."""
    files: int = 0
    """Lines of RECORD."""
    modules: tuple[tuple[Name, Name, Name], ...] = ()
    """Importable modules: (dotted name, kind, group)."""
    others: tuple[Name, ...] = ()
    """Files besides the metadata of what has no module, the first of them."""
    outside: int | None = None
    """How many files of RECORD lie outside its location, those made for its entry points left out; None: not told."""
    scripts: int = 0
    """How many of these are scripts of Python's, of what has no module."""
    unfound: tuple[Name, ...] = ()
    """Modules that those always import, and that sys.path does not lead to."""
    record_digest: Name = ""
    """sha256 of RECORD's rows for the wheel's own files, which an installer does not write; empty without RECORD."""
    installed_at: int = 0
    """When the installer wrote its files, in seconds since the epoch."""
    problem: Text = ""
    """Why the metadata could not be read, where it could not."""
    unreadable: tuple[Name, ...] = ()
    """The first places, as far up as can be, that this user cannot read; __pycache__ left out."""
    unreadable_files: int = 0
    """How many of its files that concerns."""

    @property
    def canonical_name(self) -> str:
        return canonicalize_name(self.name)


class Inventory(FactModel):
    """The interpreter and everything installed for it, first on sys.path first."""

    interpreter: InterpreterFacts
    distributions: tuple[Distribution, ...]
    cpu_seconds: float

    def find(self, name: str) -> Distribution | None:
        """The distribution that wins on sys.path."""
        wanted = canonicalize_name(name)
        return next((one for one in self.distributions if one.canonical_name == wanted), None)


class Frame(FactModel):
    """One frame of a traceback; a place that Python does not know is empty."""

    file: Annotated[Name, _EMPTY] = ""
    line: Annotated[int, BeforeValidator(lambda line: line or 0)] = 0
    function: Annotated[Name, _EMPTY] = ""
    text: Annotated[Text, _EMPTY] = ""


class Raised(FactModel):
    """One exception of a chain. `name` and `path` are ImportError's attributes."""

    type: Name
    message: Text
    name: Name | None = None
    path: Name | None = None
    bases: tuple[Name, ...] = ()
    """Names of the classes the exception's own derives from."""
    frame: Frame | None = None
    """Where it was raised: its own innermost frame."""


class ImportFailure(Raised):
    chain: tuple[Raised, ...] = ()
    """Causes and contexts, the deepest last."""
    frames: tuple[Frame, ...] = ()
    """The traceback, innermost last, the import system's own frames left out."""


class Located(FactModel):
    """More on an imported module whose `__file__` is not plainly the file that was listed, or cannot be read."""

    readable: bool
    """This user can read the listed file."""
    same: bool
    """`__file__` is the listed file, through links."""
    found: Name | None = None
    """What sys.path alone leads to, told without importing: a file, a namespace's folder, or nothing."""
    found_same: bool
    """That is the listed file."""


class ModuleFacts(FactModel):
    """What became of one import in a process of its own."""

    module: Name
    distribution: Name
    also: tuple[Name, ...] = ()
    """Further distributions whose RECORD names the same file."""
    path: Name
    group: Name = "module"
    status: Literal["ok", "exception", "exit", "signal", "timeout", "memory", "lost", "container"]
    """`container`: its import ended the container, collector and all."""
    file: Name | None = None
    """The module's own __file__."""
    located: Located | None = None
    error: ImportFailure | None = None
    inherited_from: Name | None = None
    """The parent package whose own failure is the reason."""
    exit_code: int | None = None
    reads_arguments: bool = False
    """Of one that exits, hangs or raises: its own body reads the command line."""
    signal: int | None = None
    stderr: Text = ""
    cpu: float = 0.0
    wall: float = 0.0
    limit: Name = ""
    """Which limit it ran into."""
    reason: Text = ""
    """Why nothing can be told, where nothing can."""
    proof: Literal["alone", "parents", "siblings", "walk"] = "alone"
    """What a pass rests on: a process of its own, its parent packages, one shared with siblings, or with all."""
    side_effects: dict[Name, JsonValue] = Field(default_factory=dict)
    unloaded: tuple[Name, ...] = ()
    """Shared libraries that were to be loaded meanwhile, by path, are there, and were not in the process afterwards."""
    loaded: tuple[Name, ...] | None = None
    """All modules that its import loads into a bare interpreter; told where its whole story was asked for."""
    peak_memory: int | None = None
    """The most resident bytes of that interpreter."""


class ImportFacts(FactModel):
    """The import sweep: one verdict a module, and what was left out, counted by group."""

    modules: tuple[ModuleFacts, ...]
    left_out: dict[Name, int] = Field(default_factory=dict)
    method: Name = ""
    fallback: Text = ""
    """Why it was not the method that was asked for."""
    disagreements: tuple[Name, ...] = ()
    """Modules that passed in the company of others and failed alone: the latter counts."""
    peak_memory: int = 0
    """Bytes that the sweep's processes held at most, together."""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0


class Facts(FactModel):
    """All that is known of an image. `base` is what is installed in the base that its contract names."""

    image: ImageFacts
    inventory: Inventory
    imports: ImportFacts | None = None
    stranger: int | None = None
    """The user that imports were tried as as well,"""
    stranger_imports: ImportFacts | None = None
    """and what became of them."""
    driverless: ImportFacts | None = None
    """Modules that lack nothing but the driver's libraries, imported with a stand-in for those."""
    files: FileFacts | None = None
    surroundings: Surroundings | None = None
    script_runs: ScriptRuns | None = None
    statements: StatementFacts | None = None
    together: TogetherFacts | None = None
    model_files: dict[str, dict[str, str]] = Field(default_factory=dict)
    """What of the contract's `models` lies beside it: as named there -> file -> text. Read on the host."""
    runs: dict[str, ProbeFacts] = Field(default_factory=dict)
    """Smoke lines and artefacts, by the names of `diagnosis.run_lines`."""
    loads: LoadFacts | None = None
    native: NativeFacts | None = None
    questions: QuestionFacts | None = None
    os_packages: OsPackages | None = None
    base_os_packages: OsPackages | None = None
    toolchain: ToolchainFacts | None = None
    kernels: KernelsFacts | None = None
    probes: dict[str, ProbeFacts] = Field(default_factory=dict)
    selfchecks: SelfCheckFacts | None = None
    """None where nobody offers one."""
    outside: OutsideFacts | None = None
    """What the layers hold of the distributions; asked for by --distrust."""
    base: Inventory | None = None
    plan: PlanFacts | None = None
    locked: tuple[Locked, ...] | None = None
    """What the contract's locks say."""
    rebuild: RebuildFacts | None = None

"""The verbs of a container engine. One module beside this one for each engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from imgcheck.facts.contents import Contents
from imgcheck.facts.layers import LayerFacts
from imgcheck.facts.model import ImageFacts

FOLDER: Final = "/.imgcheck"
"""Where files are put inside a container: a volume of its own, so that a read-only root does not matter."""


@dataclass(frozen=True, kw_only=True)
class MountSpec:
    """An empty folder mounted at `path`; it lives in memory, of at most `size` bytes."""

    path: str
    read_only: bool = False
    size: int | None = None


@dataclass(frozen=True)
class Ulimit:
    """A limit of each process; -1 is unlimited."""

    name: str
    soft: int
    hard: int


@dataclass(frozen=True, kw_only=True)
class BindSpec:
    """A folder or file of the engine's machine, read-only at `path`."""

    source: str
    path: str


@dataclass(frozen=True, kw_only=True)
class ContainerSpec:
    """A container to run once. Sizes in bytes. None leaves the image's own setting.

    Args:
        image: digest or reference.
        command: replaces entrypoint and command, or the latter alone.
        keep_entrypoint: the image's entrypoint starts the command.
        files: path inside the container -> content, put there before it starts.
        stdin: written to the process as it starts; it stays open.
        network: none, unless its work is to fetch something.
        binds: of the engine's own machine.
    """

    image: str
    command: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    keep_entrypoint: bool = False
    stdin: bytes = b""
    user: str | None = None
    groups: tuple[str, ...] = ()
    workdir: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    read_only: bool = False
    mounts: tuple[MountSpec, ...] = ()
    shm: int | None = None
    memory: int | None = None
    cpus: float | None = None
    pids: int | None = None
    ulimits: tuple[Ulimit, ...] = ()
    hostname: str | None = None
    network: str = "none"
    binds: tuple[BindSpec, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a container's main process ended; `stopped`: by us."""

    exit_code: int
    out_of_memory: bool = False
    stopped: bool = False


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """Output of a container as it comes; `stream` is 1 for stdout, 2 for stderr."""

    stream: int
    data: bytes


class Container(Protocol):
    """A running container; leaving its context removes it, whatever happened."""

    def output(self) -> Iterator[Chunk]:
        """Output until the main process ends."""
        ...

    def send(self, data: bytes) -> None:
        """Write to the main process's standard input."""
        ...

    def wait(self) -> Ended: ...

    def stop(self) -> None:
        """End it now, whatever runs in it; one that has ended already is left as it is."""
        ...


@dataclass(frozen=True, kw_only=True)
class EngineInfo:
    name: str
    version: str
    architecture: str
    endpoint: str


@dataclass(frozen=True)
class Executable:
    """A program on PATH. `dangling` are the links to nowhere that came before it: (path, where it leads)."""

    path: str | None
    dangling: tuple[tuple[str, str], ...] = ()


class Runner(Protocol):
    """What collecting asks for: a program run where the content is, and what is told without running anything."""

    def run(self, spec: ContainerSpec) -> AbstractContextManager[Container]: ...

    def find_executable(self, image: ImageFacts, names: tuple[str, ...]) -> Executable:
        """The first of `names` on the image's PATH, looked up without running anything; absolute paths as they are."""
        ...

    def layers(self, image: ImageFacts) -> LayerFacts:
        """What the image's layers say of installed distributions; all of its bytes are read, none kept.

        Raises:
            CollectorError: they cannot be read, or there are none.
        """
        ...

    def close(self) -> None:
        """Remove every container that this run made and that is still there."""
        ...


class Engine(Runner, Protocol):
    """What the pipeline asks of an engine.

    Raises:
        EngineOutOfReachError: from any verb, when the engine does not answer.
    """

    def info(self) -> EngineInfo: ...

    def cannot_limit(self) -> frozenset[str]:
        """Keys of a contract's runtime (memory, cpus, pids) that it would pass over without a word."""
        ...

    def inspect(self, reference: str) -> ImageFacts | None:
        """An image that the engine has; None where it has not."""
        ...

    def pull(self, reference: str) -> None:
        """Raises ImageNotFoundError or RegistryOutOfReachError."""
        ...

    def local_names(self) -> tuple[str, ...]:
        """References of the images the engine has."""
        ...

    def read_file(self, image: ImageFacts, path: str) -> bytes | None:
        """A file's content, read without running anything; None where there is no such file."""
        ...

    def contents(self, image: ImageFacts, roots: tuple[str, ...]) -> Contents:
        """What the layers hold of distributions, merged as the engine merges them; nothing is run.

        Args:
            image: whose layers.
            roots: folders whose files are hashed, beside those that installers write to.

        Raises:
            CollectorError: they cannot be read, or there are none.
        """
        ...

    def save(self, image: ImageFacts, path: Path) -> None:
        """Writes the image to a new file, as `docker save` does.

        Raises:
            HostError: it does not fit there.
        """
        ...

    def runs(self, image: ImageFacts, pythons: tuple[str, ...]) -> bool:
        """Whether the first of these interpreters works here; it may be built for another machine.

        An image without one runs: who looks for it says what is missing.
        """
        ...

    def tag(self, image: str, reference: str) -> None: ...

    def remove_image(self, reference: str) -> None:
        """Untag, and delete what no other name holds. An image that is not there is no error."""
        ...

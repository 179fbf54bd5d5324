"""How the cluster runs the image: user, mounts, limits, network. Imports and probes run the same way."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from imgcheck.contract.values import Command, ImagePath, Model, Size

_ULIMIT = re.compile(r"(\d+|unlimited)(:(\d+|unlimited))?")
_LIMITS = (
    *("as", "core", "cpu", "data", "fsize", "locks", "memlock", "msgqueue", "nice", "nofile", "nproc", "rss"),
    *("rtprio", "rttime", "sigpending", "stack"),
)
UNLIMITED = -1


def _ulimit(text: str) -> str:
    if not _ULIMIT.fullmatch(text):
        raise ValueError(f"{text!r} is no limit; write 65536, or 1024:65536 for soft and hard, or unlimited")
    return text


Ulimit = Annotated[str, AfterValidator(_ulimit)]


class Mount(Model):
    path: ImagePath
    read_only: bool = False
    fixture: Annotated[str, Field(min_length=1)] | None = None
    """A folder or file beside the contract that is there; read-only, so that nothing of this machine is changed."""

    @model_validator(mode="after")
    def _fixtures_are_read_only(self) -> Mount:
        if self.fixture and not self.read_only:
            raise ValueError(f"{self.path} has a fixture, which is mounted read-only: write 'read_only: true'")
        return self


class Tmpfs(Model):
    path: ImagePath
    size: Size | None = None
    """What it may hold; unset: half of the machine's memory."""


class Runtime(Model):
    """How the cluster runs the image; imports and probes run the same way. Unset: as the image says."""

    user: str | None = None
    """A name, a uid, or uid:gid; a uid needs no entry in the image's passwd."""
    groups: tuple[str, ...] = ()
    """Supplementary groups, by name or number."""
    workdir: ImagePath | None = None
    command: Command | None = None
    """What the cluster runs: the folder of its script comes first on sys.path. Unset: ENTRYPOINT and CMD."""
    entrypoint: Literal["replaced", "kept"] = "replaced"
    """`kept`: the image's ENTRYPOINT starts what is tried, as it would start the cluster's command."""
    env: dict[str, str] = Field(default_factory=dict)
    read_only: bool = False
    mounts: tuple[Mount, ...] = ()
    """Folders that the cluster mounts; here they are empty, or have a fixture's content."""
    tmpfs: tuple[Tmpfs, ...] = ()
    """Folders in memory."""
    shm: Size | None = None
    """The size of /dev/shm; 64 MiB unless given, as in a cluster."""
    memory: Size | None = None
    cpus: Annotated[float, Field(gt=0, le=4096)] | None = None
    """Processors' worth of time that it may use."""
    pids: Annotated[int, Field(ge=16)] | None = None
    ulimits: dict[str, Ulimit] = Field(default_factory=dict)
    """Limits of a process, as nofile: 1024:65536."""
    hostname: Annotated[str, Field(pattern=r"^[A-Za-z0-9]([A-Za-z0-9.-]{0,62})$")] | None = None
    network: Literal["none", "host"] = "none"
    """`host`: this machine's, for what must reach something; probes then run one after another."""

    @model_validator(mode="after")
    def _knows_its_limits(self) -> Runtime:
        unknown = next((name for name in self.ulimits if name not in _LIMITS), None)
        if unknown:
            raise ValueError(f"ulimits: {unknown!r} is no limit; there are {', '.join(_LIMITS)}")
        if self.network == "host" and self.hostname:
            raise ValueError("network: host has the machine's own name: leave 'hostname' out")
        return self


def soft_and_hard(limit: str) -> tuple[int, int]:
    """Both numbers of a limit; -1 is unlimited."""
    soft, _, hard = limit.partition(":")
    numbers = [UNLIMITED if one == "unlimited" else int(one) for one in (soft, hard or soft)]
    return numbers[0], numbers[1]

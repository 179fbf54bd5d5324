"""A container of the Docker API: how it is made, and how it is listened to."""

from __future__ import annotations

import io
import tarfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from docker.errors import APIError, NotFound
from docker.types import Mount, Ulimit

from imgcheck.engines.engine import FOLDER, Chunk, ContainerSpec, Ended
from imgcheck.engines.frames import read_frames
from imgcheck.engines.refusals import LOST
from imgcheck.errors import ContainerDisturbedError, EngineFaultError, ImgcheckError

CAPABILITIES: Final = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID")
"""What root in a cluster's container needs to read and write files as root does. All others are dropped."""

_DEFAULT_PIDS: Final = 8192
_END_TRIES, _END_PAUSE = 25, 0.2


def create(api: Any, spec: ContainerSpec, labels: Mapping[str, str], memory: int | None) -> str:
    """A container by its specification, not yet started; `memory` is what it gets without one of its own."""
    memory = spec.memory or memory
    host = api.create_host_config(
        network_mode=spec.network,
        cap_drop=["ALL"],
        cap_add=list(CAPABILITIES),
        security_opt=["no-new-privileges"],
        init=True,
        read_only=spec.read_only,
        shm_size=spec.shm,
        mem_limit=memory,
        memswap_limit=memory,  # no swap, as in a cluster
        nano_cpus=int(spec.cpus * 1e9) if spec.cpus else None,
        pids_limit=spec.pids or _DEFAULT_PIDS,
        ulimits=[Ulimit(name=one.name, soft=one.soft, hard=one.hard) for one in spec.ulimits],
        group_add=list(spec.groups),
        log_config={"type": "none"},
        mounts=_mounts(spec, dict(labels)),
    )
    created = api.create_container(
        spec.image,
        entrypoint=None if spec.keep_entrypoint else [spec.command[0]],
        command=list(spec.command if spec.keep_entrypoint else spec.command[1:]),
        hostname=spec.hostname,
        user=spec.user,
        working_dir=spec.workdir,
        environment=dict(spec.env),
        labels=dict(labels),
        stdin_open=True,
        healthcheck={"test": ["NONE"]},
        host_config=host,
    )
    return str(created["Id"])


def _mounts(spec: ContainerSpec, labels: dict[str, str]) -> list[Mount]:
    # not copied: the image may have such a folder, with rights that keep its own user out
    ours = Mount(target=FOLDER, source=None, type="volume", labels=labels, no_copy=True)
    theirs = [
        Mount(
            target=one.path,
            source=None,
            type="tmpfs",
            read_only=one.read_only,
            tmpfs_mode=0o1777,
            tmpfs_size=one.size,
        )
        for one in spec.mounts
    ]
    bound = [Mount(target=one.path, source=one.source, type="bind", read_only=True) for one in spec.binds]
    return [ours, *theirs, *bound]


def archive_of(files: Any) -> bytes:
    """A tar of files, with a scratch folder that every user of the image may write to."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        scratch = tarfile.TarInfo("scratch")
        scratch.type, scratch.mode = tarfile.DIRTYPE, 0o1777
        tar.addfile(scratch)
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o444
            tar.addfile(entry, io.BytesIO(content))
        end = tar.offset + 2 * tarfile.BLOCKSIZE
    return buffer.getvalue()[:end]  # Podman reads to the end's mark, and calls what follows a broken pipe


def send(attached: Any, data: bytes) -> None:
    """Write to the attached stdin. docker-py hands out a read-only file over the socket for unix and TCP."""
    with suppress(BrokenPipeError, ConnectionResetError):  # it ended before it read; its exit status tells
        getattr(attached, "_sock", attached).sendall(data)


class DockerContainer:
    """A started container whose output is read as it comes."""

    def __init__(
        self, api: Any, container: str, attached: Any, out_of_reach: Callable[[Exception], ImgcheckError]
    ) -> None:
        self._api = api
        self._id = container
        self._attached = attached
        self._out_of_reach = out_of_reach

    def output(self) -> Iterator[Chunk]:
        try:
            yield from read_frames(self._attached, self._look)
        except OSError as error:
            raise self._out_of_reach(error) from None
        self._see_it_end()

    def _look(self) -> None:
        """While nothing comes: a container that was paused would be waited for without end."""
        if self._state().get("Paused"):
            raise ContainerDisturbedError(
                "the container was paused from outside while it worked",
                remedy="let nothing pause containers that carry the label imgcheck, and run this again",
            )

    def _state(self) -> dict[str, Any]:
        try:
            state: dict[str, Any] = self._api.inspect_container(self._id)["State"]
        except NotFound:
            raise ContainerDisturbedError(
                "the container was removed from outside while it worked",
                remedy="let nothing remove containers that carry the label imgcheck, and run this again",
            ) from None
        except (APIError, *LOST) as error:
            raise self._out_of_reach(error) from None
        return state

    def _see_it_end(self) -> None:
        """Output ends as its process does; where that goes on, the engine has lost the connection."""
        for _ in range(_END_TRIES):
            if not self._state().get("Running"):
                return
            time.sleep(_END_PAUSE)
        raise EngineFaultError(
            "the engine cut off the output of a container that goes on working",
            remedy="run this again; where it comes back, see the engine's log",
        )

    def send(self, data: bytes) -> None:
        try:
            send(self._attached, data)
        except OSError as error:
            raise self._out_of_reach(error) from None

    def wait(self) -> Ended:
        try:
            status = self._api.wait(self._id)
        except NotFound:
            status = {}  # as the look at its state tells
        except (APIError, *LOST) as error:
            raise self._out_of_reach(error) from None
        state = self._state()
        return Ended(exit_code=int(status["StatusCode"]), out_of_memory=bool(state.get("OOMKilled")))

    def stop(self) -> None:
        with suppress(APIError, *LOST):
            self._api.kill(self._id)

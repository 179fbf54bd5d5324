"""The Python of this machine in place of a container: inside a pod, a conda environment, a CI job without an engine.

What only a container gives (its own network, a user, limits, a read-only root) is not there; `left_out` tells which of
that was asked for. What a run starts is ended with it, daemons that left its session included.
"""

from __future__ import annotations

import json
import os
import selectors
import shutil
import subprocess
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from imgcheck.collector.environment import environment
from imgcheck.collector.leftovers import MARK, end_marked
from imgcheck.drafts import room_for
from imgcheck.engines.engine import FOLDER, Chunk, ContainerSpec, Ended, Executable
from imgcheck.errors import CollectorError, UnsuitableImageError
from imgcheck.facts.layers import LayerFacts
from imgcheck.facts.model import ImageFacts
from imgcheck.process import held

_EVERY: Final = 0.1
_CHUNK: Final = 1 << 16
ARCHITECTURES: Final = {"x86_64": "amd64", "aarch64": "arm64"}
"""Engines' names for machines."""
_ONLY_CONTAINERS: Final = {
    "user": "user",
    "groups": "groups",
    "keep_entrypoint": "entrypoint",
    "read_only": "read_only",
    "mounts": "mounts",
    "binds": "fixtures",
    "shm": "shm",
    "memory": "memory",
    "cpus": "cpus",
    "pids": "pids",
    "ulimits": "ulimits",
    "hostname": "hostname",
}
"""Of a specification what needs a container, by its key in a contract's `runtime`."""


class LocalContainer:
    """The Container protocol over a process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # it ended, which wait() tells
            self._process.stdin.write(data)
            self._process.stdin.flush()

    def output(self) -> Iterator[Chunk]:
        """Both streams until the process ends: what it left running may hold them open."""
        with selectors.DefaultSelector() as selector:
            for stream, pipe in ((1, self._process.stdout), (2, self._process.stderr)):
                assert pipe is not None
                selector.register(pipe, selectors.EVENT_READ, stream)
            while selector.get_map():
                ended = self._process.poll() is not None
                ready = selector.select(0 if ended else _EVERY)
                if ended and not ready:
                    return
                for key, _ in ready:
                    data = os.read(key.fd, _CHUNK)
                    if data:
                        yield Chunk(stream=key.data, data=data)
                    else:
                        selector.unregister(key.fileobj)

    def wait(self) -> Ended:
        return Ended(exit_code=self._process.wait())

    def stop(self) -> None:
        self._process.kill()


class LocalRunner:
    """Runs what a container would with the interpreters of this machine."""

    def __init__(self) -> None:
        self.left_out: set[str] = set()

    def find_executable(self, _image: ImageFacts, names: tuple[str, ...]) -> Executable:
        return Executable(next(filter(None, map(shutil.which, names)), None))

    def layers(self, _image: ImageFacts) -> LayerFacts:
        raise CollectorError("an environment without an image has no layers")

    def close(self) -> None:
        """Each run ends what it started."""

    @contextmanager
    def run(self, spec: ContainerSpec) -> Iterator[LocalContainer]:
        self.left_out |= only_containers(spec)
        mark = uuid.uuid4().hex
        with room_for("the collector") as folder:
            for name, content in spec.files.items():
                (folder / name).write_bytes(content)
            env = {name: value.replace(FOLDER, str(folder)) for name, value in spec.env.items()}
            command = [word.replace(FOLDER, str(folder)) for word in spec.command]
            cwd = Path(spec.workdir) if spec.workdir else None
            with _ending_all(mark), _held(command, env={**env, MARK: mark}, cwd=cwd) as process:
                container = LocalContainer(process)
                container.send(_placed(spec.stdin, folder))
                yield container


def only_containers(spec: ContainerSpec) -> set[str]:
    """Keys of a contract's `runtime` that a specification asks for, and that need a container."""
    return {key for name, key in _ONLY_CONTAINERS.items() if getattr(spec, name)}


@contextmanager
def _held(command: list[str], *, env: Mapping[str, str], cwd: Path | None) -> Iterator[subprocess.Popen[bytes]]:
    with ExitStack() as stack:
        try:
            process = stack.enter_context(held(command, env=env, cwd=cwd))
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            raise UnsuitableImageError(
                f"{command[0]} cannot be started here: {place}{error.strerror}",
                remedy="name another interpreter with --python, or another runtime.workdir in the contract",
            ) from None
        yield process


def _placed(request: bytes, folder: Path) -> bytes:
    """The request with its scratch folder where the container's own would be."""
    if not request:
        return request
    whole = json.loads(request)
    scratch = folder / "scratch"
    scratch.mkdir()
    return json.dumps({**whole, "scratch": str(scratch)}).encode() + b"\n"


@contextmanager
def _ending_all(mark: str) -> Iterator[None]:
    try:
        yield
    finally:
        end_marked(mark)


def environment_facts(reference: str) -> ImageFacts:
    """What an engine would say of an image, as far as it is true of this machine."""
    return image_of(reference, environment())


def image_of(reference: str, told: Mapping[str, Any]) -> ImageFacts:
    """The same of any environment that the collector tells of."""
    machine = str(told["machine"])
    return ImageFacts(
        reference=reference,
        digest="",
        os=told["os"],
        architecture=ARCHITECTURES.get(machine, machine),
        size=0,
        workdir=told["workdir"],
        env=tuple(told["env"]),
    )

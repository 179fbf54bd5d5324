"""Docker Engine, and whatever else answers its API, through the docker package."""

from __future__ import annotations

import errno
import io
import posixpath
import socket
import tarfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import docker
from docker.errors import APIError, DockerException, ImageNotFound, NotFound
from docker.utils import decode_json_header
from requests import Response
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from imgcheck.drafts import no_room
from imgcheck.engines.docker_container import DockerContainer, archive_of, create, send
from imgcheck.engines.endpoint import Endpoint
from imgcheck.engines.engine import FOLDER, ContainerSpec, EngineInfo, Executable
from imgcheck.engines.image_facts import image_facts
from imgcheck.engines.leftovers import LABEL, RUN_LABEL, Belonging, belongings, clock, discard
from imgcheck.engines.refusals import LOST, is_absent, pull_error, reason_of, refusal
from imgcheck.engines.saved import read_saved
from imgcheck.engines.saved_contents import read_contents
from imgcheck.engines.tunnel import near
from imgcheck.errors import (
    EngineFaultError,
    EngineOutOfReachError,
    EngineRefusedError,
    ImageNotFoundError,
    UnsuitableImageError,
)
from imgcheck.facts.contents import Contents
from imgcheck.facts.layers import LayerFacts
from imgcheck.facts.model import ImageFacts
from imgcheck.interrupts import held_back
from imgcheck.run_mark import this_run

MINIMUM_API: Final = (1, 41)
"""Docker 20.10; older engines have no BuildKit worth the name."""

_NUMBER_LABEL: Final = "imgcheck.connection"
_MEMORY_SHARE: Final = 0.9
RETRIES: Final = Retry(
    total=3,
    backoff_factor=0.3,
    allowed_methods={"GET", "HEAD", "DELETE", "PUT"},
    status_forcelist={500, 502, 503, 504},
    raise_on_status=False,
)
"""What asks, removes or puts a file in its place may be said again, and whatever did not reach the engine. What makes
something anew is said once."""
_LIMITS: Final = {
    "memory": ("MemoryLimit", "memory"),
    "cpu": ("CpuCfsQuota", "cpus"),
    "pids": ("PidsLimit", "pids"),
}
"""By cgroup controller, the flag of the API's info and the key of a contract's runtime."""
_MAX_LINKS: Final = 16
_FILE_LIMIT: Final = 16 * 2**20
_GO_DIRECTORY: Final = 1 << 31
_GO_SYMLINK: Final = 1 << 27
"""Bits of Go's io/fs.FileMode, which the archive API's stat header carries."""
T = TypeVar("T")


class DockerEngine:
    """The Engine protocol over the Docker API."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._number = uuid.uuid4().hex[:12]
        self._made = self._left = False
        self._client: docker.DockerClient | None = None
        self._way = ExitStack()
        self._memory: int | None = None
        self._info: EngineInfo | None = None
        self._unlimited: frozenset[str] | None = None

    # --- the engine itself

    @property
    def _api(self) -> Any:
        if self._client is None:
            self._client = self._connect()
        return self._client.api

    def _connect(self) -> docker.DockerClient:
        self.endpoint = self._way.enter_context(near(self.endpoint))
        try:
            _reachable(self.endpoint.host)
            client = docker.DockerClient(base_url=self.endpoint.host, tls=self.endpoint.tls, timeout=600)
            version = client.api.api_version
        except (DockerException, *LOST) as error:
            raise self._out_of_reach(error) from None
        for adapter in client.api.adapters.values():
            if isinstance(adapter, HTTPAdapter):
                adapter.max_retries = RETRIES
        if tuple(int(part) for part in version.split(".")) < MINIMUM_API:
            raise EngineOutOfReachError(
                f"the engine at {self.endpoint.shown} speaks API {version}; "
                "imgcheck needs 1.41 (Docker 20.10) or newer",
                remedy="update the engine",
            )
        return client

    def _out_of_reach(self, error: Exception) -> EngineOutOfReachError:
        return EngineOutOfReachError(
            f"no container engine answers at {self.endpoint.shown} (from {self.endpoint.origin}): {reason_of(error)}",
            remedy="start one (systemctl start docker, or scripts/engine in a checkout of imgcheck), "
            "or name another with --host or DOCKER_HOST",
        )

    def _call(self, what: str, function: Callable[[], T]) -> T:
        """One API call; what the engine refuses, and its absence, become our errors."""
        try:
            return function()
        except APIError as error:
            raise refusal(what, error) from error
        except (DockerException, *LOST) as error:
            raise self._out_of_reach(error) from None

    def info(self) -> EngineInfo:
        if self._info is None:
            version = self._call("tell its version", self._api.version)
            name = next((one.get("Name", "") for one in version.get("Components", ())), "Engine")
            self._info = EngineInfo(
                name="podman" if "podman" in name.lower() else "docker",
                version=str(version.get("Version", "")),
                architecture=str(version.get("Arch", "")),
                endpoint=self.endpoint.host,
            )
        return self._info

    def system(self) -> dict[str, Any]:
        """The engine's own account of its machine, as its API has it; Podman's own API is the one that is right."""
        found: dict[str, Any] = self._call("tell of its machine", self._api.info)
        controllers = self._controllers()
        told = {} if controllers is None else {key: name in controllers for name, (key, _) in _LIMITS.items()}
        return {**found, **told}

    def _controllers(self) -> list[str] | None:
        """The cgroup controllers that Podman may use: none for an ordinary user with cgroups version 1.

        None are taken for granted where its own API does not tell: the one that is Docker's says that all are there.
        """
        if self.info().name != "podman":
            return None
        url = f"{self._api.base_url}/v4.0.0/libpod/info"
        answer = self._call("tell of its cgroups", lambda: self._api.get(url, timeout=60))
        return list(answer.json().get("host", {}).get("cgroupControllers") or ()) if answer.ok else []

    def cannot_limit(self) -> frozenset[str]:
        if self._unlimited is None:
            system = self.system()
            self._unlimited = frozenset(key for flag, key in _LIMITS.values() if system.get(flag) is False)
        return self._unlimited

    # --- images

    def inspect(self, reference: str) -> ImageFacts | None:
        try:
            raw = self._api.inspect_image(reference)
            history = self._api.history(reference)
        except (ImageNotFound, NotFound):
            return None
        except APIError as error:
            if error.status_code == 400:
                raise ImageNotFoundError(f"{reference!r} is no image reference: {error.explanation}") from None
            raise refusal(f"inspect {reference}", error) from error
        except LOST as error:
            raise self._out_of_reach(error) from None
        return image_facts(reference, raw, history)

    def pull(self, reference: str) -> None:
        try:
            for event in self._api.pull(reference, stream=True, decode=True):
                if "error" in event:
                    raise pull_error(reference, str(event["error"]))
        except (ImageNotFound, NotFound, APIError) as error:
            raise pull_error(reference, str(error.explanation or error)) from None
        except LOST as error:
            raise self._out_of_reach(error) from None

    def local_names(self) -> tuple[str, ...]:
        images = self._call("list its images", self._api.images)
        return tuple(sorted(name for image in images for name in image.get("RepoTags") or ()))

    def tag(self, image: str, reference: str) -> None:
        repository, _, tag = reference.rpartition(":")
        if not repository or "/" in tag:
            repository, tag = reference, "latest"
        self._call(f"tag {reference}", lambda: self._api.tag(image, repository, tag))

    def remove_image(self, reference: str) -> None:
        try:
            self._call(f"remove {reference}", lambda: self._api.remove_image(reference, noprune=False))
        except EngineRefusedError:
            pass
        except EngineOutOfReachError:
            self._left = True

    def find_executable(self, image: ImageFacts, names: tuple[str, ...]) -> Executable:
        path = next((entry[5:] for entry in image.env if entry.startswith("PATH=")), "")
        folders = [folder for folder in path.split(":") if folder.startswith("/")] or ["/usr/local/bin", "/usr/bin"]
        candidates = [
            name if name.startswith("/") else posixpath.join(folder, name) for name in names for folder in folders
        ]
        dangling: list[tuple[str, str]] = []
        with self._created(ContainerSpec(image=image.digest, command=("/",))) as container:
            for one in dict.fromkeys(candidates):
                found = self._look_at(container, one)
                if found.path:
                    return Executable(found.path, tuple(dangling))
                dangling += found.dangling
        return Executable(None, tuple(dangling))

    def _look_at(self, container: str, path: str) -> Executable:
        """By the archive API, which runs nothing; links are followed inside the image."""
        target = path
        for _ in range(_MAX_LINKS):
            try:
                with self._archived(container, target) as (_, stat):
                    mode, link = int(stat["mode"]), str(stat["linkTarget"])
            except APIError as error:
                if not is_absent(error, target):
                    raise refusal(f"look at {target}", error) from error
                return Executable(None, ((path, target),) if target != path else ())
            if not mode & _GO_SYMLINK:
                return Executable(path if not mode & _GO_DIRECTORY and mode & 0o111 else None)
            target = link
        return Executable(None)

    def read_file(self, image: ImageFacts, path: str) -> bytes | None:
        with self._created(ContainerSpec(image=image.digest, command=("/",))) as container:
            try:
                for _ in range(_MAX_LINKS):
                    with self._archived(container, path) as (response, stat):
                        if not int(stat["mode"]) & _GO_SYMLINK:
                            return _only_file(response)
                        path = str(stat["linkTarget"])
            except APIError as error:
                if not is_absent(error, path):
                    raise refusal(f"read {path}", error) from error
        return None

    @contextmanager
    def _archived(self, container: str, path: str) -> Iterator[tuple[Response, dict[str, Any]]]:
        """A path of a container as a tar, and what the engine says of it."""
        url = self._api._url("/containers/{0}/archive", container)  # noqa: SLF001 - the API's version and its quoting
        with self._streamed(url, path=path) as response:
            yield response, decode_json_header(response.headers["X-Docker-Container-Path-Stat"])

    @contextmanager
    def _streamed(self, url: str, **parameters: str) -> Iterator[Response]:
        """A GET whose body is read as it comes; docker-py's own streams leak what is not read to its end."""
        try:
            response = self._api._get(url, params=parameters, stream=True)  # noqa: SLF001 - with its config's headers
            with closing(response):
                self._api._raise_for_status(response)  # noqa: SLF001 - its errors are what the callers know
                yield response
        except APIError:
            raise
        except LOST as error:
            raise self._out_of_reach(error) from None

    def layers(self, image: ImageFacts) -> LayerFacts:
        return self._saved(image, read_saved)

    def _saved(self, image: ImageFacts, read: Callable[[Iterator[bytes]], T]) -> T:
        """What `read` makes of the engine's archive of an image."""
        url = self._api._url("/images/{0}/get", image.digest)  # noqa: SLF001 - the API's version and its quoting
        try:
            with self._streamed(url) as response:
                return read(response.iter_content(2**20))
        except APIError as error:
            raise refusal(f"save {image.digest}", error) from error

    def save(self, image: ImageFacts, path: Path) -> None:
        def write(chunks: Iterator[bytes]) -> None:
            try:
                with path.open("wb") as file:
                    file.writelines(chunks)
            except OSError as error:
                if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                    raise
                raise no_room(image.reference, error) from None

        self._saved(image, write)

    def runs(self, image: ImageFacts, pythons: tuple[str, ...]) -> bool:
        if image.architecture == self.info().architecture:
            return True
        python = self.find_executable(image, pythons).path
        if python is None:
            return True
        try:  # an init hands what the kernel refuses to a shell: the exit code alone says little
            with self.run(ContainerSpec(image=image.digest, command=(python, "-IS", "-c", "print(6*7)"))) as container:
                return b"".join(chunk.data for chunk in container.output() if chunk.stream == 1).strip() == b"42"
        except UnsuitableImageError:
            return False

    def contents(self, image: ImageFacts, roots: tuple[str, ...]) -> Contents:
        return self._saved(image, lambda chunks: read_contents(chunks, roots))

    def close(self) -> None:
        self.end()

    def end(self) -> str:
        """Removes what this connection made and is still there; what keeps it from that, or nothing."""
        with self._way:
            if self._client is None:
                return ""
            try:
                with held_back():
                    ours = {"label": f"{_NUMBER_LABEL}={self._number}"}
                    for one in belongings(self._api, ours) if self._made else ():
                        self._left |= not discard(self._api, one)
            except (APIError, *LOST):
                self._left = True
            self._client.close()
        if not self._left:
            return ""
        return (
            f"the engine at {self.endpoint.shown} did not remove all that this run made: "
            "imgcheck clean does, when it answers again"
        )

    def left(self, patience: float) -> tuple[Belonging, ...]:
        """What runs that are over left here; those of other machines count as over after so many seconds."""

        def found() -> tuple[Belonging, ...]:
            now = clock(self._api)
            return tuple(one for one in belongings(self._api) if one.is_left(now, patience))

        return self._call("tell what is left of earlier runs", found)

    def discard(self, one: Belonging) -> bool:
        """Whether it is gone."""
        return self._call(f"remove {one.kind} {one.name}", lambda: discard(self._api, one))

    # --- containers

    @contextmanager
    def run(self, spec: ContainerSpec) -> Iterator[DockerContainer]:
        with self._created(spec) as container, self._attached(container) as attached:
            self._start(container, spec)
            send(attached, spec.stdin)
            yield DockerContainer(self._api, container, attached, self._out_of_reach)

    @contextmanager
    def _attached(self, container: str) -> Iterator[Any]:
        """The stream to a container; docker-py's attach_socket would lose the response, and with it the connection."""
        api = self._api
        response = self._call(
            "attach to a container",
            lambda: api._post(  # noqa: SLF001 - with the headers of its config
                api._url("/containers/{0}/attach", container),  # noqa: SLF001 - the API's version and its quoting
                params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1, "logs": 0},
                headers={"Connection": "Upgrade", "Upgrade": "tcp"},
                stream=True,
            ),
        )
        try:
            yield self._call(
                "attach to a container",
                lambda: api._get_raw_response_socket(response),  # noqa: SLF001 - what attach_socket gives
            )
        finally:
            with suppress(OSError):
                response.close()

    def _start(self, container: str, spec: ContainerSpec) -> None:
        try:
            self._call(f"start {spec.command[0]}", lambda: self._api.start(container))
        except (EngineRefusedError, EngineFaultError) as error:
            if "exec format error" in str(error):
                raise UnsuitableImageError(
                    f"{spec.command[0]} is built for another machine than this engine can run: {error}",
                    remedy="build the image for this engine's platform, or install emulation (binfmt) on its host",
                ) from None
            raise

    @contextmanager
    def _created(self, spec: ContainerSpec) -> Iterator[str]:
        with held_back():
            self._made = True
            container = self._call(f"create a container of {spec.image}", lambda: self._create(spec))
        try:
            if spec.files:
                archive = archive_of(spec.files)
                self._call("put files into a container", lambda: self._api.put_archive(container, FOLDER, archive))
            yield container
        finally:
            with held_back(), suppress(APIError, *LOST):  # `end` tries once more, and tells
                self._api.remove_container(container, force=True, v=True)

    def _most_memory(self) -> int | None:
        """What a container gets at most, so that one that fills memory takes itself down and not the machine."""
        if self._memory is None:
            self._memory = int(self._api.info().get("MemTotal") or 0)
        return int(self._memory * _MEMORY_SHARE) or None

    def _create(self, spec: ContainerSpec) -> str:
        labels = {LABEL: "1", RUN_LABEL: str(this_run()), _NUMBER_LABEL: self._number}
        return create(self._api, spec, labels, self._most_memory())


def _reachable(host: str) -> None:
    """A first look at a unix socket: the docker package leaks the one that cannot connect."""
    if host.startswith("unix://"):
        with socket.socket(socket.AF_UNIX) as first:
            first.connect(host.removeprefix("unix://"))


def _only_file(response: Response) -> bytes | None:
    """The content of the one regular file that a tar holds, if it is no larger than 16 MiB."""
    data = bytearray()
    for chunk in response.iter_content(2**20):
        data += chunk
        if len(data) > _FILE_LIMIT + tarfile.RECORDSIZE:
            return None
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        member = tar.next()
        opened = tar.extractfile(member) if member and member.isreg() else None
        return opened.read() if opened else None

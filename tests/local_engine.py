"""An engine that runs the real collector with a Python of this machine: no container, the same protocol."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from imgcheck.engines.engine import Chunk, ContainerSpec, Ended, EngineInfo, Executable
from imgcheck.facts.contents import Contents
from imgcheck.facts.layers import LayerFacts
from imgcheck.facts.model import ImageFacts


def an_image(reference: str = "here:1", digest: str = "sha256:" + "a" * 64) -> ImageFacts:
    layers = ("sha256:" + "c" * 64,)
    return ImageFacts(reference=reference, digest=digest, os="linux", architecture="amd64", size=1, layers=layers)


class LocalContainer:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def send(self, data: bytes) -> None:
        raise NotImplementedError

    def output(self) -> Iterator[Chunk]:
        assert self._process.stdout
        assert self._process.stderr
        for line in self._process.stdout:
            yield Chunk(stream=1, data=line)
        yield Chunk(stream=2, data=self._process.stderr.read())

    def wait(self) -> Ended:
        return Ended(exit_code=self._process.wait())

    def stop(self) -> None:
        self._process.kill()


class LocalEngine:
    """Counts its containers, so that a test can tell reuse from collecting."""

    def __init__(self, python: str) -> None:
        self.python = python
        self.started = 0

    def info(self) -> EngineInfo:
        return EngineInfo(name="local", version="0", architecture="amd64", endpoint="here")

    def inspect(self, reference: str) -> ImageFacts | None:
        return an_image(reference)

    def pull(self, reference: str) -> None: ...

    def local_names(self) -> tuple[str, ...]:
        return ()

    def find_executable(self, image: ImageFacts, names: tuple[str, ...]) -> Executable:
        return Executable(self.python)

    def read_file(self, image: ImageFacts, path: str) -> bytes | None:
        return None

    def tag(self, image: str, reference: str) -> None: ...

    def remove_image(self, reference: str) -> None: ...

    def contents(self, image: ImageFacts, roots: tuple[str, ...]) -> Contents:
        raise NotImplementedError

    def layers(self, image: ImageFacts) -> LayerFacts:
        raise NotImplementedError

    def cannot_limit(self) -> frozenset[str]:
        return frozenset()

    def save(self, image: ImageFacts, path: Path) -> None:
        raise NotImplementedError

    def runs(self, _image: ImageFacts, _names: tuple[str, ...]) -> bool:
        return True

    def close(self) -> None: ...

    @contextmanager
    def run(self, spec: ContainerSpec) -> Iterator[LocalContainer]:
        self.started += 1
        with tempfile.TemporaryDirectory() as folder:
            for name, content in spec.files.items():
                Path(folder, name).write_bytes(content)
            scratch = Path(folder, "scratch")
            scratch.mkdir()
            request = {**json.loads(spec.stdin), "scratch": str(scratch)}
            command = [word.replace("/.imgcheck/", f"{folder}/") for word in spec.command]
            environment = {name: value.replace("/.imgcheck", folder) for name, value in spec.env.items()}
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env={**os.environ, **environment},
            )
            with process:
                assert process.stdin
                process.stdin.write(json.dumps(request).encode() + b"\n")
                process.stdin.close()
                try:
                    yield LocalContainer(process)
                finally:
                    process.kill()

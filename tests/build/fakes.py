"""An engine that has what a test says, and a contract whose promises have places."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from imgcheck.contract.model import Contract
from imgcheck.engines.engine import Container, ContainerSpec, EngineInfo, Executable
from imgcheck.facts.contents import Contents
from imgcheck.facts.layers import LayerFacts
from imgcheck.facts.model import ImageFacts
from imgcheck.outcome import Location

BASE = "registry.example/ml/base:1"
BASE_ID = "sha256:" + "b" * 64
BASE_DIGEST = "sha256:" + "d" * 64


def image(reference: str = BASE, digest: str = BASE_ID, **more: Any) -> ImageFacts:
    return ImageFacts(reference=reference, digest=digest, os="linux", architecture="amd64", size=1, **more)


def contract(**keys: Any) -> Contract:
    """A contract on BASE, pinned to protobuf, in base.yaml."""
    raw = {"imgcheck": 1, "base": {"image": BASE}, "pins": {"protobuf": "5.29.3", "numpy": "1.26.4"}, **keys}
    positions = {
        (): Location(file="base.yaml"),
        ("pins", "protobuf"): Location(file="base.yaml", line=5),
        ("pins", "numpy"): Location(file="base.yaml", line=6),
        ("constraints", "build"): Location(file="base.yaml", line=8),
        ("constraints", "files"): Location(file="base.yaml", line=9),
    }
    made = Contract.model_validate(raw)
    return made.written_at(path="base.yaml", digest="sha256:" + "c" * 64, positions=positions)


@dataclass
class FakeEngine:
    """Holds images by name; notes what is tagged and removed."""

    images: dict[str, ImageFacts] = field(default_factory=lambda: {BASE: image()})
    tagged: list[tuple[str, str]] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    architecture: str = "x86_64"

    def info(self) -> EngineInfo:
        return EngineInfo(name="fake", version="1", architecture=self.architecture, endpoint="fake://")

    def inspect(self, reference: str) -> ImageFacts | None:
        return self.images.get(reference)

    def pull(self, reference: str) -> None:
        raise NotImplementedError

    def local_names(self) -> tuple[str, ...]:
        return tuple(self.images)

    def run(self, spec: ContainerSpec) -> AbstractContextManager[Container]:
        raise NotImplementedError

    def find_executable(self, image: ImageFacts, names: tuple[str, ...]) -> Executable:
        raise NotImplementedError

    def read_file(self, image: ImageFacts, path: str) -> bytes | None:
        raise NotImplementedError

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

    def close(self) -> None:
        raise NotImplementedError

    def tag(self, image: str, reference: str) -> None:
        self.tagged.append((image, reference))

    def remove_image(self, reference: str) -> None:
        self.removed.append(reference)

"""Hostile images, built on the root image; each is a Dockerfile's text and a folder, removed at the end."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.engine.conftest import docker, facts_folder, imgcheck, root_image

__all__ = ["docker", "facts_folder", "imgcheck", "root_image"]

BuildImage = Callable[[str, Path], str]


@pytest.fixture(scope="session")
def image(docker: Callable[..., str]) -> Iterator[BuildImage]:
    """Builds an image from a Dockerfile's text and the folder it copies from."""
    made: list[str] = []

    def build(text: str, context: Path) -> str:
        (context / "Dockerfile").write_text(text, "utf-8")
        name = f"imgcheck-test/hostile:{hashlib.sha256(str(context).encode()).hexdigest()[:12]}"
        docker("build", "-q", "-t", name, str(context))
        made.append(name)
        return name

    yield build
    if made:
        docker("rmi", "-f", *made)

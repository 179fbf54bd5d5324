"""Images and facts that the engine tests share; all content-addressed, so that a second run costs little."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]
BuildImage = Callable[..., str]


@pytest.fixture(scope="session")
def facts_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Facts kept for this run of the tests alone: what is tested is this code, not an earlier one's answers."""
    return tmp_path_factory.mktemp("facts")


@pytest.fixture(scope="session")
def imgcheck(facts_folder: Path) -> Run:
    """The installed command, as a user calls it."""

    def run(*arguments: str, cwd: Path = ROOT) -> Ran:
        done = subprocess.run(
            ["imgcheck", *arguments],
            capture_output=True,
            text=True,
            cwd=cwd,
            check=False,
            env={**os.environ, "IMGCHECK_CACHE_DIR": str(facts_folder), "NO_COLOR": "1"},
        )
        return Ran(code=done.returncode, out=done.stdout, err=done.stderr)

    return run


@pytest.fixture(scope="session")
def docker() -> Callable[..., str]:
    def run(*arguments: str) -> str:
        return subprocess.run(["docker", *arguments], capture_output=True, text=True, check=True).stdout.strip()

    return run


@pytest.fixture(scope="session")
def build_image(docker: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[BuildImage]:
    """Builds an image from a Dockerfile's text, and a folder or files to copy from; all go when the tests end."""
    made: list[str] = []

    def build(text: str, context: Path | None = None, **files: bytes) -> str:
        folder = context or tmp_path_factory.mktemp("context")
        (folder / "Dockerfile").write_text(text, "utf-8")
        for name, content in files.items():
            (folder / name).write_bytes(content)
            (folder / name).chmod(0o755)
        name = f"imgcheck-test/made-{os.getpid()}:{len(made)}"
        docker("build", "-q", "-t", name, str(folder))
        made.append(name)
        return name

    yield build
    if made:
        docker("rmi", "-f", *made)


def told_by(script: str) -> str:
    """The reference that a script prints, which has made sure of the image."""
    done = subprocess.run([ROOT / script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="session")
def base_image() -> str:
    """The example base, built if it is not there yet."""
    return told_by("scripts/example-base")


@pytest.fixture(scope="session")
def root_image() -> str:
    """A few hundred megabytes with a Python, pip and venv: what the example's base is built on."""
    return told_by("scripts/root-image")


@pytest.fixture(scope="session")
def contract(base_image: str, imgcheck: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example contract, renewed for the base that this machine built."""
    path = tmp_path_factory.mktemp("contracts") / "base.yaml"
    path.write_text((ROOT / "contracts/base.yaml").read_text("utf-8"), "utf-8")
    done = imgcheck("freeze", base_image, "-o", str(path))
    assert done.code == 0, done.err
    return path

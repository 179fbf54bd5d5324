"""Images from sections of a case: each known by all that it is made of, so that a repeat costs nothing."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.scoreboard.case import Section
from tests.scoreboard.wheels import Wheels, link

ROOT: Final = Path(__file__).parents[2]
PREFIX: Final = "imgcheck-cases"
_FORMAT: Final = "1"
_VENV: Final = (
    "FROM {root}\nRUN python3 -m venv --without-pip /opt/venv\nENV VIRTUAL_ENV=/opt/venv PATH=/opt/venv/bin:$PATH\n"
)
# Arguments are there for the steps and not in the image. The root's own pip installs into the environment.
_PIP: Final = (
    "ARG PIP_PYTHON=/opt/venv/bin/python PIP_NO_INDEX=1 PIP_FIND_LINKS=/wheels PIP_ROOT_USER_ACTION=ignore "
    "PIP_DISABLE_PIP_VERSION_CHECK=1 DEBIAN_FRONTEND=noninteractive\n"
)
_MOUNTS: Final = "RUN --mount=type=bind,source=wheels,target=/wheels --mount=type=bind,source=inputs,target=/inputs "


class ImageError(Exception):
    """An image could not be made; the message has the end of the builder's output."""


def dockerfile(parent: str, section: Section) -> str:
    """The Dockerfile that adds a section to an image."""
    lines = [f"FROM {parent}\n", _PIP]
    if section.apt:
        packages = " ".join(section.apt)
        lines.append(f"RUN apt-get -q update && apt-get -q -y install --no-install-recommends {packages} && ")
        lines.append("rm -rf /var/lib/apt/lists/*\n")
    if section.requirements:
        options = "--no-deps " if section.no_deps else ""
        lines.append(f"{_MOUNTS}pip install -q {options}-r /inputs/requirements.txt -c /inputs/pins.txt\n")
    lines += [step.rstrip("\n") + "\n" for step in section.steps]
    return "".join(lines)


def digest(*parts: str) -> str:
    """What images are told apart by."""
    return hashlib.sha256("\0".join((_FORMAT, *parts)).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Images:
    """Makes images, one build at a time for the same image.

    Args:
        wheels: the folder of wheels.
    """

    wheels: Path
    _roots: dict[str, str] = field(default_factory=dict, compare=False)
    _locks: dict[str, threading.Lock] = field(default_factory=dict, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, compare=False)

    def root(self, suite: str) -> str:
        """A Debian with Python and an empty virtual environment first on PATH.

        Raises:
            ImageError: it could not be made.
        """
        with self._locked(suite):
            if suite not in self._roots:
                text = _VENV.format(root=_output([str(ROOT / "scripts/root-image"), suite]))
                base = _output(["docker", "image", "inspect", "--format", "{{.Id}}", text.split()[1]])
                self._roots[suite] = self._made(f"{PREFIX}/root:{digest(text, base)}", text, {}, ())
        return self._roots[suite]

    def build(self, name: str, parent: str, suite: str, section: Section) -> str:
        """An image: `parent` with a section added.

        Args:
            name: what it is tagged with, beside the digest of all that it is made of.

        Returns:
            Its tag.

        Raises:
            ImageError: it could not be made.
            WheelError: a wheel could not be had.
        """
        text = dockerfile(parent, section)
        pins = section.distributions
        tag = f"{PREFIX}/{name.lower()}:{digest(text, *section.requirements, *pins)}"
        with self._locked(tag):
            if exists(tag):
                return tag
            found = Wheels(self.wheels / suite, suite, self._wheel_from_source).of(pins, section.source)
            inputs = {"requirements.txt": section.requirements, "pins.txt": section.installed}
            return self._made(tag, text, {name: "\n".join(lines) + "\n" for name, lines in inputs.items()}, found)

    def _made(self, tag: str, text: str, inputs: dict[str, str], wheels: tuple[Path, ...]) -> str:
        if exists(tag):
            return tag
        self.wheels.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.wheels) as name:
            folder = Path(name)
            (folder / "Dockerfile").write_text(text, "utf-8")
            (folder / "inputs").mkdir()
            for file, content in inputs.items():
                (folder / "inputs" / file).write_text(content, "utf-8")
            link(wheels, folder / "wheels")
            _output(["docker", "buildx", "build", "--load", "--progress=plain", f"--label={PREFIX}=", "-t", tag, name])
        return tag

    def _wheel_from_source(self, pin: str, folder: Path) -> None:
        """Built in a container, since it runs what the distribution brings; with the root image's own setuptools."""
        root = _output([str(ROOT / "scripts/root-image"), folder.name])
        text = (
            f"FROM {root} AS build\nRUN python3 -m pip wheel -q --no-deps --no-build-isolation --no-binary=:all: "
            f"-w /made '{pin}'\nFROM scratch\nCOPY --from=build /made /\n"
        )
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as context:
            (Path(context) / "Dockerfile").write_text(text, "utf-8")
            _output(["docker", "buildx", "build", f"--output=type=local,dest={folder}", "--progress=plain", context])

    @contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        with self._lock:
            lock = self._locks.setdefault(name, threading.Lock())
        with lock:
            yield


def exists(reference: str) -> bool:
    return not _run(["docker", "image", "inspect", reference]).returncode


def made() -> tuple[str, ...]:
    """Tags of all images that were made here."""
    listed = _output(["docker", "image", "ls", "--format", "{{.Repository}}:{{.Tag}}", "--filter", f"label={PREFIX}"])
    return tuple(one for one in listed.split() if one.startswith(f"{PREFIX}/"))


def remove(tags: tuple[str, ...]) -> None:
    if tags:
        _output(["docker", "image", "rm", "--force", *tags])


def statuses(image: str, *commands: str) -> tuple[int, ...]:
    """Exit statuses of shell commands in a container of the image, as the image sets it up, without network.

    Raises:
        ImageError: the container did not run.
    """
    script = "".join(f"({command}) >/dev/null 2>&1; echo {PREFIX} $?\n" for command in commands)
    output = _output(["docker", "run", "--rm", "--init", "--network=none", "--entrypoint=sh", image, "-c", script])
    return tuple(int(line.split()[1]) for line in output.splitlines() if line.startswith(f"{PREFIX} "))


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)


def _output(command: list[str]) -> str:
    done = _run(command)
    if done.returncode:
        raise ImageError(f"{' '.join(command[:4])}: {(done.stdout + done.stderr).strip()[-1500:]}")
    return done.stdout.strip()

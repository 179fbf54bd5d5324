"""What is judged: an image of an engine, or what can be judged where there is none."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from imgcheck.checks import Needs
from imgcheck.contract.model import Contract
from imgcheck.drafts import room_for
from imgcheck.engines.engine import Engine, Runner
from imgcheck.engines.image_file import open_image
from imgcheck.engines.local import LocalRunner, environment_facts, image_of
from imgcheck.engines.recorded import RecordedRunner, read_recording
from imgcheck.engines.still import NEEDS_ENGINE, StillRunner, unpacked
from imgcheck.errors import UnsuitableImageError, UsageError
from imgcheck.facts.collect import PYTHONS
from imgcheck.facts.model import ImageFacts
from imgcheck.there import is_folder

NO_IMAGE: Final = "there is no image here whose configuration could be read"
OPEN: Final = (
    "judged where imgcheck runs, without a container: what it imports and starts has this user's rights, this "
    "machine's network and files, and no limits"
)
STILL: Final = "judged by its files alone: nothing of it was run"
_RUNNING: Final = dict.fromkeys(
    (
        Needs.WRITABLE,
        Needs.IMPORTS,
        Needs.TOGETHER,
        Needs.LOADS,
        Needs.RUNS,
        Needs.TOOLCHAIN,
        Needs.KERNELS,
        Needs.PROBES,
        Needs.SELFCHECKS,
    ),
    NEEDS_ENGINE,
)
"""What files alone do not tell."""
_UNCALLED: Final = "self-checks are called with an engine, or --here"
_TOOLS: Final = ("pipx_metadata.json", "uv-receipt.toml")
"""What pipx and uv leave in an environment that they made for one tool alone."""


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What is judged, and how its facts are had.

    Args:
        image: what is known of it before it is looked into.
        runner: where it is looked into.
        engine: knows the base; None where there is no engine to ask.
        interpreter: the one to look with; None leaves it to the contract and to PATH.
        untold: by kind of facts, why they cannot be had of it.
        notices: what else must be shown.
    """

    image: ImageFacts
    runner: Runner
    engine: Engine | None = None
    interpreter: str | None = None
    untold: Mapping[Needs, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    no_base: str = "there is no engine to ask for it"
    """Why the base is not looked into, where there is no engine."""

    @property
    def still(self) -> bool:
        """Nothing of it is run."""
        return isinstance(self.runner, StillRunner)

    @property
    def lacks(self) -> tuple[str, ...]:
        """Notices on what the runner could not give to what it ran."""
        return _lacks(self.runner.left_out) if isinstance(self.runner, LocalRunner | RecordedRunner) else ()


@dataclass(frozen=True, kw_only=True)
class Here:
    """The environment that imgcheck runs in, or another interpreter of this machine."""

    python: str | None = None

    @contextmanager
    def opened(self, contract: Contract, *, vantage: int | None) -> Iterator[Subject]:
        """Raises UsageError, UnsuitableImageError."""
        _verify_no_vantage(vantage, "--here")
        if sys.platform != "linux":
            raise UnsuitableImageError(
                f"--here looks into Linux environments, and this is {sys.platform}",
                remedy="check an image of it, or run imgcheck inside of it",
            )
        python = self.python or contract.interpreter or own_python(sys.prefix, sys.executable, os.environ)
        found = shutil.which(python)
        if found is None:
            raise UnsuitableImageError(
                f"{python} is no program of this machine", remedy="name an interpreter with --python"
            )
        path = str(Path(found).absolute())
        yield Subject(
            image=environment_facts(path),
            runner=LocalRunner(),
            interpreter=path,
            untold={Needs.IMAGE: NO_IMAGE},
            notices=(OPEN,),
        )


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """What the standalone collector told of another environment, in a file."""

    path: Path

    @contextmanager
    def opened(self, _contract: Contract, *, vantage: int | None) -> Iterator[Subject]:
        """Raises UsageError."""
        _verify_no_vantage(vantage, "--facts")
        recording = read_recording(self.path)
        where = recording.environment.get("release") or "another environment"
        yield Subject(
            image=image_of(recording.python, {**recording.environment, "workdir": ""}),
            runner=RecordedRunner(recording),
            interpreter=recording.python,
            untold={Needs.IMAGE: NO_IMAGE, Needs.SELFCHECKS: _UNCALLED},
            notices=(f"judged from what a collector told of {where}, in {self.path}: nothing was looked at again",),
        )


@dataclass(frozen=True, kw_only=True)
class Rootfs:
    """A folder that is the root of a system."""

    folder: Path

    @contextmanager
    def opened(self, _contract: Contract, *, vantage: int | None) -> Iterator[Subject]:
        """Raises UsageError."""
        _verify_no_vantage(vantage, "--rootfs")
        if not is_folder(self.folder):
            raise UsageError(f"{self.folder} is no folder", remedy="name the folder that holds usr, etc and the rest")
        image = image_of(str(self.folder), {"os": "linux", "machine": "", "workdir": "", "env": ()})
        yield Subject(
            image=image,
            runner=StillRunner(image, self.folder, {}),
            untold={**_RUNNING, Needs.IMAGE: NO_IMAGE},
            notices=(STILL,),
        )


@dataclass(frozen=True, kw_only=True)
class Archive:
    """An image in a file or a folder, as docker save or buildx write it."""

    path: Path

    @contextmanager
    def opened(self, _contract: Contract, *, vantage: int | None) -> Iterator[Subject]:
        """Raises UsageError, UnsuitableImageError."""
        _verify_no_vantage(vantage, "--archive")
        with open_image(self.path) as file, unpacked(file) as (image, runner):
            yield Subject(image=image, runner=runner, untold=_RUNNING, notices=(STILL,))


@dataclass(frozen=True, kw_only=True)
class Foreign:
    """An engine's image that is built for another machine than the engine's."""

    engine: Engine
    image: ImageFacts

    @contextmanager
    def opened(self, _contract: Contract, *, vantage: int | None) -> Iterator[Subject]:
        """Raises UsageError, HostError."""
        _verify_no_vantage(vantage, f"an image for {self.image.architecture}")
        here = self.engine.info().architecture
        reason = f"the image is for {self.image.architecture}, and this engine runs {here} without emulation (binfmt)"
        with room_for("the image") as folder:
            saved = folder / "image.tar"
            self.engine.save(self.image, saved)
            with open_image(saved) as file, unpacked(file) as (_, runner):
                yield Subject(
                    image=self.image,
                    runner=runner,
                    untold=dict.fromkeys(_RUNNING, reason),
                    notices=(f"{reason}: judged by its files alone",),
                    no_base="it is for the same machine, and cannot be run either",
                )


def _verify_no_vantage(vantage: int | None, option: str) -> None:
    if vantage is not None:
        raise UsageError("--vantage needs a container to run as another user", remedy=f"leave it out with {option}")


Unrun = Here | Recorded | Rootfs | Archive | Foreign
"""What is judged without a container."""
Wanted = str | Here | Recorded | Rootfs | Archive
"""A reference of an image, or what is judged without an engine."""


def own_python(prefix: str, executable: str, environ: Mapping[str, str]) -> str:
    """The interpreter that is meant where none is named: of the active environment, else the one imgcheck runs in.

    An environment that pipx or uv made for imgcheck alone is nobody's to judge: then it is the first on PATH.
    """
    active = environ.get("VIRTUAL_ENV") or environ.get("CONDA_PREFIX")
    if active:
        return str(Path(active, "bin", "python"))
    if not any(Path(prefix, name).exists() for name in _TOOLS):
        return executable
    return next(filter(None, (shutil.which(name, path=environ.get("PATH")) for name in PYTHONS)), PYTHONS[0])


def _lacks(left_out: set[str]) -> tuple[str, ...]:
    keys = ", ".join(sorted(left_out))
    return (f"runtime of the contract holds for containers alone, and was not in force here: {keys}",) if keys else ()

"""What runs a build: BuildKit through `docker buildx`, or Podman's own builder. One module beside this one for each."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from imgcheck import process
from imgcheck.build.failed_step import FailedStep
from imgcheck.build.plan import BuildPlan
from imgcheck.drafts import no_room
from imgcheck.engines.engine import Engine

OnLine = Callable[[str], None]
DEFINITION: Final = "the build's definition"
"""What a backend reads, as messages call it."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """One build.

    Args:
        plan: what is built.
        base: reference of exactly the base's content, as the backend can reach it.
        image_name: the working name of the image.
        derived_name: the working name of the derived base.
        constraints_digest: put on the derived base as a label, which the image inherits.
        folder: an empty one for what the backend reads.
    """

    plan: BuildPlan
    base: str
    image_name: str
    derived_name: str
    constraints_digest: str
    folder: Path


class Backend(Protocol):
    """Builds the derived base, and the user's image with it in the base's place."""

    def refuse_unknown(self, plan: BuildPlan) -> None:
        """Raises UsageError where it would pass over an option, or fail for it, without a word."""
        ...

    def base_for(self, engine: Engine, plan: BuildPlan, name: str) -> str:
        """A reference of exactly the base's content: names can be moved while a build runs, so it may get `name`.

        Raises:
            UsageError: the backend cannot reach the base.
        """
        ...

    def build(self, order: Order, on_line: OnLine | None) -> process.Completed:
        """Builds; a build that fails is an exit code, with the builder's words."""
        ...

    def failed_step(self, output: str, plan: BuildPlan) -> FailedStep:
        """Where a build stopped, by the backend's own words."""
        ...


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Writes what a backend reads; builders keep a file's time in the layer: the same content, the same layer.

    Raises:
        HostError: this machine has no room for it.
    """
    try:
        for name, text in files.items():
            path = folder / name
            path.write_text(text, "utf-8")
            os.utime(path, (0, 0))
    except OSError as error:
        raise no_room(DEFINITION, error) from None

"""Building a plan under working names, which never outlive the run.

The final tags are the caller's business: an image that breaks its contract must not carry the user's name.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from imgcheck.build.bake import CONSTRAINTS_LABEL, IMAGE, definition, refuse_unknown
from imgcheck.build.buildx import Buildx, find_buildx
from imgcheck.build.failure import explain
from imgcheck.build.plan import BuildPlan
from imgcheck.drafts import draft_folder
from imgcheck.engines.engine import Engine
from imgcheck.errors import BuildError, HostError, ImgcheckError, UsageError
from imgcheck.facts.model import ImageFacts
from imgcheck.run_mark import this_run

OnLine = Callable[[str], None]


@dataclass(kw_only=True)
class WorkingImage:
    """A built image under its working name, which goes when the context is left, unless it is kept."""

    image: ImageFacts
    working_name: str
    notices: tuple[str, ...]
    kept_name: str
    """What it is called from then on where it is kept: a working name is what a killed run leaves."""
    kept: bool = field(default=False)

    @property
    def id(self) -> str:
        return self.image.digest

    def keep(self) -> None:
        """Leaves it under a name of its own, so that people can look into an image that failed."""
        self.kept = True


@dataclass(frozen=True, kw_only=True)
class _Names:
    """Names of this one build; others may run beside it."""

    image: str
    derived: str
    base: str
    kept: str


@contextmanager
def built(
    engine: Engine, plan: BuildPlan, *, environment: Mapping[str, str], on_line: OnLine | None = None
) -> Iterator[WorkingImage]:
    """The image, as long as the context lasts.

    Args:
        engine: has the base, and will have the image.
        plan: what to build.
        environment: makes the docker process speak to that very engine (`Endpoint.environment`).
        on_line: called with each line of the builder's output as it comes.

    Raises:
        BuildError: it did not build, or the constraints were not in force.
        RegistryOutOfReachError: a registry or index did not answer.
        EngineOutOfReachError: the engine does not answer.
        UsageError: buildx is missing or too old, or the builder cannot reach the base.
    """
    names = _names()
    working: WorkingImage | None = None
    try:
        working = _build(engine, plan, names, environment, on_line)
        yield working
    finally:
        if working is not None and working.kept:
            engine.tag(working.id, names.kept)
        _remove(engine, names)


def _names() -> _Names:
    number = secrets.token_hex(4)
    mark = f"{this_run()}-{number}"
    return _Names(
        image=f"imgcheck/working:{mark}",
        derived=f"imgcheck/derived:{mark}",
        base=f"imgcheck/base:{mark}",
        kept=f"imgcheck/kept:{number}",
    )


def _remove(engine: Engine, names: _Names) -> None:
    for name in (names.image, names.derived, names.base):
        with suppress(ImgcheckError):
            engine.remove_image(name)


def _build(
    engine: Engine, plan: BuildPlan, names: _Names, environment: Mapping[str, str], on_line: OnLine | None
) -> WorkingImage:
    buildx = find_buildx(environment, plan.options.builder)
    refuse_unknown(plan, buildx.version)
    base = _base_for(engine, plan, buildx, names)
    digest = f"sha256:{hashlib.sha256(plan.constraints.encode()).hexdigest()}"
    with _definition_folder() as folder:
        told = definition(
            plan,
            base=base,
            image_name=names.image,
            derived_name=names.derived,
            constraints_digest=digest,
            folder=folder,
        )
        _write(folder, told.files)
        completed = buildx.bake((*told.arguments, IMAGE), on_line)
    if completed.exit_code != 0:
        raise explain(completed.output, dockerfile=plan.dockerfile, contract=plan.contract)
    return WorkingImage(
        image=_proven(engine, plan, names.image, digest),
        working_name=names.image,
        kept_name=names.kept,
        notices=plan.notices,
    )


@contextmanager
def _definition_folder() -> Iterator[Path]:
    """Where the builder finds what it is told."""
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(draft_folder())
        except OSError as error:
            raise _unwritable(error) from None
        yield folder


def _unwritable(error: OSError) -> HostError:
    return HostError(
        f"the build's definition cannot be written among this machine's temporary files: {error.strerror}",
        remedy="make room, or name a folder that can be written to in TMPDIR",
    )


def _base_for(engine: Engine, plan: BuildPlan, buildx: Buildx, names: _Names) -> str:
    """A reference of exactly the base's content: names can be moved while a build runs, so it gets one of its own."""
    if buildx.driver == "docker":
        engine.tag(plan.base.digest, names.base)
        return names.base
    if plan.base.repo_digests:
        return plan.base.repo_digests[0]
    raise UsageError(
        f"the builder's driver is {buildx.driver}, which cannot see images that only the engine has, "
        f"and {plan.base_reference} is in no registry",
        remedy="build with --builder default, or push the base",
    )


def _write(folder: Path, files: Mapping[str, str]) -> None:
    try:
        for name, text in files.items():
            path = folder / name
            path.write_text(text, "utf-8")
            os.utime(path, (0, 0))  # BuildKit keeps a file's time in the layer: the same content, the same layer
    except OSError as error:
        raise _unwritable(error) from None


def _proven(engine: Engine, plan: BuildPlan, name: str, digest: str) -> ImageFacts:
    """The image, if it carries the derived base's label: an old Dockerfile frontend passes over build contexts."""
    image = engine.inspect(name)
    if image is None:
        raise BuildError(f"the builder ended well, and the engine has no image {name}")
    if image.labels.get(CONSTRAINTS_LABEL) != digest and CONSTRAINTS_LABEL not in plan.options.user_labels():
        frontend = plan.dockerfile.frontend or "the builder's own"
        raise BuildError(
            f"{plan.dockerfile.file}: the constraints were not in force: the image is not built on the derived base",
            remedy=f"its Dockerfile frontend ({frontend}) may be too old for build contexts: "
            "remove the `# syntax=` line, or name docker/dockerfile:1.4 or newer",
        )
    return image

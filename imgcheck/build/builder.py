"""Building a plan under working names, which never outlive the run.

The final tags are the caller's business: an image that breaks its contract must not carry the user's name.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from imgcheck.build.backend import DEFINITION, Backend, OnLine, Order
from imgcheck.build.buildx import find_buildx
from imgcheck.build.derived import CONSTRAINTS_LABEL
from imgcheck.build.failure import explain
from imgcheck.build.plan import BuildPlan
from imgcheck.build.podman import PODMAN, Podman
from imgcheck.drafts import room_for
from imgcheck.engines.engine import Engine
from imgcheck.errors import BuildError, ImgcheckError
from imgcheck.facts.model import ImageFacts
from imgcheck.run_mark import this_run


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
    except KeyboardInterrupt:
        if working is not None:
            working.kept = False  # nobody looks into what was not judged
        raise
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
    backend = _backend(engine, plan, environment)
    backend.refuse_unknown(plan)
    digest = f"sha256:{hashlib.sha256(plan.constraints.encode()).hexdigest()}"
    with room_for(DEFINITION) as folder:
        order = Order(
            plan=plan,
            base=backend.base_for(engine, plan, names.base),
            image_name=names.image,
            derived_name=names.derived,
            constraints_digest=digest,
            folder=folder,
        )
        completed = backend.build(order, on_line)
    if completed.exit_code != 0:
        step = backend.failed_step(completed.output, plan)
        raise explain(step, completed.output, dockerfile=plan.dockerfile, contract=plan.contract)
    return WorkingImage(
        image=_proven(engine, plan, names.image, digest),
        working_name=names.image,
        kept_name=names.kept,
        notices=plan.notices,
    )


def _backend(engine: Engine, plan: BuildPlan, environment: Mapping[str, str]) -> Backend:
    """Podman builds itself, unless the user names a builder of buildx."""
    info = engine.info()
    if info.name == PODMAN and not plan.options.builder:
        return Podman(endpoint=info.endpoint)
    return find_buildx(environment, plan.options.builder)


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

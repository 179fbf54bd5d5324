"""Podman's own builder (buildah), for engines without BuildKit: two calls of `podman build` on the engine itself.

Build contexts (`podman-build(1)`, from 4.2 on) put the derived base in the place of every FROM. buildah looks for a
context by what FROM says, before or after its ARGs are filled in, as the version has it: so each spelling gets one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from imgcheck import process
from imgcheck.build.backend import OnLine, Order, write
from imgcheck.build.derived import FILE, derived_dockerfile
from imgcheck.build.failed_step import FailedStep
from imgcheck.build.options import BuildOptions
from imgcheck.build.plan import BuildPlan
from imgcheck.build.podman_output import read_failure
from imgcheck.build.references import parse_reference
from imgcheck.engines.engine import Engine
from imgcheck.errors import UsageError

PODMAN: Final = "podman"


@dataclass(frozen=True, kw_only=True)
class Podman:
    """The podman command, which speaks to the engine at `endpoint`."""

    endpoint: str

    def refuse_unknown(self, plan: BuildPlan) -> None:
        options = plan.options
        if options.pull:
            raise UsageError(
                "--pull: Podman would look for the derived base in a registry too",
                remedy="podman pull the images that the Dockerfile names before the build",
            )
        typed = [one for one in (*options.cache_from, *options.cache_to) if "=" in one]
        if typed:
            raise UsageError(
                f"{typed[0]}: Podman keeps a build's cache in a repository alone",
                remedy="write --cache-from REPOSITORY",
            )

    def base_for(self, engine: Engine, plan: BuildPlan, name: str) -> str:
        engine.tag(plan.base.digest, name)
        return _whole(name)

    def build(self, order: Order, on_line: OnLine | None) -> process.Completed:
        # A service that was started beside a file of the same name builds that one instead (podman 4.3):
        # so the Dockerfile is given under a name that is nowhere else.
        mark = order.image_name.rpartition(":")[2]
        base, image = f"base-{mark}", f"image-{mark}"
        text = Path(order.plan.dockerfile.file).read_text("utf-8")
        write(order.folder, {FILE: order.plan.constraints, base: derived_dockerfile(order), image: text})
        tag = f"--tag={_whole(order.derived_name)}"
        derived = self._run([tag, *_platform(order.plan.options)], order.folder / base, str(order.folder), on_line)
        if derived.exit_code != 0:
            return derived
        return self._run([*_arguments(order)], order.folder / image, order.plan.context, on_line)

    def failed_step(self, output: str, plan: BuildPlan) -> FailedStep:
        return read_failure(output, plan.dockerfile)

    def _run(self, arguments: list[str], file: Path, context: str, on_line: OnLine | None) -> process.Completed:
        # the Docker format, for OCI's has neither SHELL nor HEALTHCHECK
        command = ("podman", "--url", self.endpoint, "build", "--format=docker", f"--file={file}", *arguments, context)
        try:
            return process.run(command, on_line=on_line)
        except FileNotFoundError:
            raise UsageError(
                "the engine is Podman, and there is no podman command here, through which it builds",
                remedy="install podman (podman-remote is enough, under the name podman)",
            ) from None


def _arguments(order: Order) -> Iterator[str]:
    plan, options = order.plan, order.plan.options
    yield f"--tag={_whole(order.image_name)}"
    for name, value in options.contexts().items():
        yield f"--build-context={name}={value}"
    for name in _spellings(plan):
        yield f"--build-context={name}=container-image://{_whole(order.derived_name)}"
    for name, value in plan.labels.items():
        yield f"--label={name}={value}"
    for name, value in options.arguments().items():
        yield f"--build-arg={name}={value}"
    for option, values in (
        ("secret", options.secrets),
        ("ssh", options.ssh),
        ("cache-from", options.cache_from),
        ("cache-to", options.cache_to),
        ("ulimit", options.ulimits),
        ("add-host", tuple(f"{host}:{address}" for host, address in options.hosts().items())),
    ):
        yield from (f"--{option}={value}" for value in values)
    for option, given in (("target", options.target), ("network", options.network), ("shm-size", options.shm_size)):
        if given:
            yield f"--{option}={given}"
    yield from _platform(options)
    if options.no_cache:
        yield "--no-cache"
    ignored = Path(f"{plan.dockerfile.file}.dockerignore")
    if ignored.is_file():
        yield f"--ignorefile={ignored.absolute()}"


def _platform(options: BuildOptions) -> tuple[str, ...]:
    return (f"--platform={options.platform}",) if options.platform else ()


def _spellings(plan: BuildPlan) -> tuple[str, ...]:
    """Every way in which a FROM of the base may be looked up."""
    roots = [one for one in plan.dockerfile.needed(plan.target) if one.parent is None and one.index in plan.on_base]
    written = [spelling for one in roots for spelling in (one.expression, one.image)]
    return tuple(dict.fromkeys((*plan.replaced, *written)))


def _whole(name: str) -> str:
    """The name with its registry: Podman's command and its Docker API add different ones."""
    reference = parse_reference(name)
    return f"{reference.domain}/{reference.path}:{reference.tag}" if reference else name

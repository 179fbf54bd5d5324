"""The `docker buildx` process: is it there, how new, and which driver builds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from imgcheck import process
from imgcheck.build.backend import OnLine, Order, write
from imgcheck.build.bake import IMAGE, MINIMUM, Version, definition, refuse_unknown
from imgcheck.build.buildx_output import read_failure
from imgcheck.build.failed_step import FailedStep
from imgcheck.build.plan import BuildPlan
from imgcheck.drafts import room_for
from imgcheck.engines.engine import Engine
from imgcheck.errors import EngineOutOfReachError, UsageError

_VERSION = re.compile(r"\bv?(\d+)\.(\d+)\.(\d+)")
_DRIVER = re.compile(r"^Driver:[ \t]+(\S+)", re.MULTILINE)
_ERROR = re.compile(r"^Error:[ \t]+(\S.*)", re.MULTILINE)
_INSTALL = "install the docker-buildx-plugin package (Debian and Ubuntu's own: docker-buildx), 0.13 or newer"
_QUIET = {
    # imgcheck hands on the user's own paths, which newer buildx would ask about
    "BUILDX_BAKE_ENTITLEMENTS_FS": "0",
    # attestations carry times: the same content would never have the same digest
    "BUILDX_NO_DEFAULT_ATTESTATIONS": "1",
    "DOCKER_CLI_HINTS": "false",
    "NO_COLOR": "1",
}


@dataclass(frozen=True, kw_only=True)
class Buildx:
    """A builder that answers. `driver` is "docker" where the engine itself builds and sees its own images."""

    version: Version
    driver: str
    builder: str | None
    environment: Mapping[str, str]

    def refuse_unknown(self, plan: BuildPlan) -> None:
        refuse_unknown(plan, self.version)

    def base_for(self, engine: Engine, plan: BuildPlan, name: str) -> str:
        if self.driver == "docker":
            engine.tag(plan.base.digest, name)
            return name
        if plan.base.repo_digests:
            return plan.base.repo_digests[0]
        raise UsageError(
            f"the builder's driver is {self.driver}, which cannot see images that only the engine has, "
            f"and {plan.base_reference} is in no registry",
            remedy="build with --builder default, or push the base",
        )

    def build(self, order: Order, on_line: OnLine | None) -> process.Completed:
        told = definition(order)
        write(order.folder, told.files)
        named = (f"--builder={self.builder}",) if self.builder else ()
        command = ("docker", "buildx", "bake", *named, "--progress=plain", *told.arguments, IMAGE)
        with room_for("the builder's own files") as temporary:  # it leaves some of them
            return process.run(command, env={**self.environment, "TMPDIR": str(temporary)}, on_line=on_line)

    def failed_step(self, output: str, plan: BuildPlan) -> FailedStep:  # noqa: ARG002 - BuildKit tells the line itself
        return read_failure(output)


def find_buildx(environment: Mapping[str, str], builder: str | None) -> Buildx:
    """The builder that the user's options name.

    Args:
        environment: makes the docker process speak to the one engine.
        builder: what --builder names.

    Raises:
        UsageError: docker or buildx is not there or too old, or there is no such builder.
        EngineOutOfReachError: the engine does not answer.
    """
    settled = {**_QUIET, **environment}
    version = _version(settled)
    inspected = process.run(("docker", "buildx", "inspect", *((builder,) if builder else ())), env=settled)
    driver = _DRIVER.search(inspected.output)
    if inspected.exit_code != 0 or not driver:
        error = _ERROR.search(inspected.output)
        last = error[1] if error else (inspected.output.strip().splitlines() or ["no answer"])[-1]
        if "no builder" in last:
            raise UsageError(f"--builder {builder}: {last}", remedy="docker buildx ls lists the builders")
        raise EngineOutOfReachError(f"the builder does not answer: {last}", remedy="try docker buildx inspect")
    return Buildx(version=version, driver=driver[1], builder=builder, environment=settled)


def _version(environment: Mapping[str, str]) -> Version:
    try:
        answer = process.run(("docker", "buildx", "version"), env=environment)
    except FileNotFoundError:
        raise UsageError("there is no docker command; the build runs through it", remedy=_INSTALL) from None
    if answer.exit_code != 0:
        raise UsageError("the docker command has no buildx, which builds with BuildKit", remedy=_INSTALL)
    version = parse_version(answer.output)
    if version < MINIMUM:
        raise UsageError(f"buildx {'.'.join(map(str, version))} is too old", remedy=_INSTALL)
    return version


def parse_version(text: str) -> Version:
    """Of "github.com/docker/buildx v0.13.1 …"; a development build counts as the newest."""
    match = _VERSION.search(text)
    if not match or match[0].endswith("0.0.0"):
        return (9999, 0, 0)
    return int(match[1]), int(match[2]), int(match[3])

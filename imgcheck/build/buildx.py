"""The `docker buildx` process: is it there, how new, and which driver builds."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from imgcheck import process
from imgcheck.build.bake import MINIMUM, Version
from imgcheck.errors import EngineOutOfReachError, UsageError

_VERSION = re.compile(r"\bv?(\d+)\.(\d+)\.(\d+)")
_DRIVER = re.compile(r"^Driver:\s+(\S+)", re.MULTILINE)
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

    def bake(self, arguments: Sequence[str], on_line: Callable[[str], None] | None = None) -> process.Completed:
        named = (f"--builder={self.builder}",) if self.builder else ()
        command = ("docker", "buildx", "bake", *named, "--progress=plain", *arguments)
        return process.run(command, env=self.environment, on_line=on_line)


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
        last = (inspected.output.strip().splitlines() or ["no answer"])[-1]
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

"""What the user may hand on to the builder, as written on the command line of `docker buildx build`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from imgcheck.build.references import parse_reference
from imgcheck.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """Repeatable options are tuples, in the order they were given. Progress is always plain."""

    build_args: tuple[str, ...] = ()
    build_contexts: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    ssh: tuple[str, ...] = ()
    cache_from: tuple[str, ...] = ()
    cache_to: tuple[str, ...] = ()
    add_hosts: tuple[str, ...] = ()
    ulimits: tuple[str, ...] = ()
    target: str | None = None
    platform: str | None = None
    network: str | None = None
    shm_size: str | None = None
    builder: str | None = None
    no_cache: bool = False
    pull: bool = False

    def __post_init__(self) -> None:
        if self.platform and "," in self.platform:
            raise UsageError(
                f"--platform {self.platform}: an image is checked for one platform at a time",
                remedy="run imgcheck build once for each platform",
            )

    def arguments(self, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
        """--build-arg NAME=value; a bare NAME takes the environment's value, where it has one."""
        pairs = (written.partition("=") for written in self.build_args)
        values = {name: value if sign else environ.get(name) for name, sign, value in pairs}
        return {name: value for name, value in values.items() if value is not None}

    def contexts(self) -> dict[str, str]:
        """--build-context NAME=value, image names as BuildKit compares them."""
        return {_context_name(name): value for name, value in _pairs("--build-context", self.build_contexts)}

    def user_labels(self) -> dict[str, str]:
        """--label NAME=value."""
        return {name: value for name, _, value in (written.partition("=") for written in self.labels)}

    def hosts(self) -> dict[str, str]:
        """--add-host NAME:address or NAME=address."""
        written = (one if "=" in one else one.replace(":", "=", 1) for one in self.add_hosts)
        return dict(_pairs("--add-host", written))


def _pairs(option: str, values: Iterable[str]) -> list[tuple[str, str]]:
    pairs = []
    for written in values:
        name, _, value = written.partition("=")
        if not name or not value:
            raise UsageError(f"{option} {written}: it must read NAME=value")
        pairs.append((name, value))
    return pairs


def _context_name(name: str) -> str:
    reference = parse_reference(name)
    return reference.context_name if reference else name

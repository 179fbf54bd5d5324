"""The definition that `docker buildx bake` reads: the derived base, and the user's image with it in the base's place.

Bake, because one call links both targets on every buildx driver, keeps --pull and --no-cache from the derived base,
and needs no registry. It passes over unknown keys without a word, so a key that old versions lack is refused here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from imgcheck.build.backend import Order
from imgcheck.build.derived import FILE, derived_dockerfile
from imgcheck.build.plan import BuildPlan
from imgcheck.errors import UsageError

Version = tuple[int, int, int]

MINIMUM: Final[Version] = (0, 13, 0)
"""The first buildx whose bake knows shm-size and ulimits."""
EXTRA_HOSTS: Final[Version] = (0, 25, 0)

IMAGE: Final = "image"
DERIVED: Final = "imgcheck-base"
_DERIVED_FILE: Final = "base.Dockerfile"


@dataclass(frozen=True, kw_only=True)
class Definition:
    """Arguments for bake, and the files they name, by file name."""

    arguments: tuple[str, ...]
    files: Mapping[str, str]


def definition(order: Order) -> Definition:
    """What bake is told."""
    plan = order.plan
    targets = {DERIVED: _derived(order), IMAGE: _image(plan, order.image_name)}
    files = {
        FILE: plan.constraints,
        _DERIVED_FILE: derived_dockerfile(order),
        "bake.json": json.dumps({"target": _escaped(targets)}, indent=2),
    }
    network = _network(plan.options.network)
    if network:
        # bake files have `network` since 0.17; compose files, which bake reads as well, have had it all along
        files["network.yaml"] = network
    names = ("network.yaml", "bake.json") if network else ("bake.json",)
    return Definition(arguments=tuple(f"--file={order.folder / name}" for name in names), files=files)


def refuse_unknown(plan: BuildPlan, version: Version) -> None:
    """Raises UsageError where this buildx would pass over an option without a word."""
    if plan.options.add_hosts and version < EXTRA_HOSTS:
        raise UsageError(
            f"--add-host needs buildx 0.25 or newer; this is {'.'.join(map(str, version))}",
            remedy="update the docker-buildx-plugin package, or write the address into the Dockerfile's RUN line",
        )


def _derived(order: Order) -> dict[str, Any]:
    platform = order.plan.options.platform
    return {
        "context": str(order.folder),
        # a file of ours: an inline one becomes a temporary file of buildx, which a kill leaves behind
        "dockerfile": _DERIVED_FILE,
        # the docker driver stores a linked target all the same: with a name it can be removed
        "tags": [order.derived_name],
        "output": ["type=cacheonly"],
        **_given(platforms=[platform] if platform else []),
    }


def _image(plan: BuildPlan, name: str) -> dict[str, Any]:
    options = plan.options
    linked = dict.fromkeys(plan.replaced, f"target:{DERIVED}")
    return {
        "context": plan.context,
        "dockerfile": str(Path(plan.dockerfile.file).absolute()),
        "contexts": {**options.contexts(), **linked},
        "tags": [name],
        "output": ["type=docker"],
        "labels": dict(plan.labels),
        **_given(
            args=options.arguments(),
            target=options.target,
            platforms=[options.platform] if options.platform else [],
            secret=list(options.secrets),
            ssh=list(options.ssh),
            pull=options.pull,
            ulimits=list(options.ulimits),
            **{
                "cache-from": list(options.cache_from),
                "cache-to": list(options.cache_to),
                "no-cache": options.no_cache,
                "shm-size": options.shm_size,
                "extra-hosts": options.hosts(),
            },
        ),
    }


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}


def _network(mode: str | None) -> str:
    """A compose file; JSON is YAML. Its context is overridden by the bake file's."""
    if not mode:
        return ""
    return json.dumps({"services": {IMAGE: {"build": {"context": ".", "network": mode.replace("$", "$$")}}}})


def _escaped(value: Any) -> Any:
    """Strings of a bake file are templates: ${ and %{ are doubled to stand for themselves."""
    if isinstance(value, str):
        return value.replace("${", "$${").replace("%{", "%%{")
    if isinstance(value, dict):
        return {_escaped(name): _escaped(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_escaped(one) for one in value]
    return value

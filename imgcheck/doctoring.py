"""`imgcheck doctor`: what this machine has of all that a run needs, and how to get the rest."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

from platformdirs import user_cache_path

from imgcheck.build.buildx import find_buildx
from imgcheck.build.podman import PODMAN
from imgcheck.engines.docker import DockerEngine
from imgcheck.engines.endpoint import Endpoint, settle
from imgcheck.errors import ExitCode, ImgcheckError

_ROOM: Final = 10 << 30
"""Bytes that building and unpacking a training image takes at least."""
_LOGIN: Final = "registry login"
_LOG_IN: Final = "For a private registry: docker login REGISTRY"
_BUNDLES: Final = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE")


class Health(str, Enum):
    GOOD = "works"
    POOR = "works in part"
    BAD = "does not work"


@dataclass(frozen=True, kw_only=True)
class Found:
    """One thing that was looked at. `code` is the exit code that its failure asks for."""

    what: str
    health: Health
    told: str
    remedy: str = ""
    code: ExitCode = ExitCode.KEPT

    @property
    def mark(self) -> str:
        return {Health.GOOD: "✓", Health.POOR: "*", Health.BAD: "✗"}[self.health]


def examine(host: str | None, cache_folder: Path | None, environ: Mapping[str, str] = os.environ) -> tuple[Found, ...]:
    with closing(DockerEngine(settle(host, environ))) as engine:
        of_engine = tuple(_engine(engine))
    return (
        *of_engine,
        _login(environ),
        _bundle(environ),
        _cache(cache_folder or user_cache_path("imgcheck")),
    )


def exit_code(found: tuple[Found, ...]) -> ExitCode:
    """The worst thing's; what works in part is told, and fails nothing."""
    return max((one.code for one in found), default=ExitCode.KEPT)


def _engine(engine: DockerEngine) -> Iterator[Found]:
    try:
        info, system = engine.info(), engine.system()
    except ImgcheckError as error:
        yield _broken("engine", error)
        yield _buildx(engine.endpoint)
        return
    endpoint = engine.endpoint
    told = f"{info.name} {info.version} ({info.architecture}) at {endpoint.shown}, from {endpoint.origin}"
    yield Found(what="engine", health=Health.GOOD, told=told)
    yield _cgroups(system)
    yield _disk(system, endpoint)
    yield _podman() if info.name == PODMAN else _buildx(endpoint)


def _broken(what: str, error: ImgcheckError) -> Found:
    return Found(what=what, health=Health.BAD, told=error.message, remedy=error.remedy, code=error.exit_code)


def _cgroups(system: Mapping[str, Any]) -> Found:
    version = str(system.get("CgroupVersion") or "1")
    limits = (("MemoryLimit", "memory"), ("CpuCfsQuota", "CPUs"), ("PidsLimit", "processes"))
    lacks = [words for key, words in limits if system.get(key) is False]
    told = f"version {version}, driver {system.get('CgroupDriver', 'unknown')}"
    if lacks:
        told += f"; it cannot limit {', '.join(lacks)}"
        way = "Enable these controllers: a module or a probe may take all of this machine otherwise."
        return Found(what="cgroups", health=Health.POOR, told=told, remedy=way)
    return Found(what="cgroups", health=Health.GOOD, told=told)


def _disk(system: Mapping[str, Any], endpoint: Endpoint) -> Found:
    folder = Path(str(system.get("DockerRootDir") or "/"))
    if not endpoint.shown.startswith("unix:") or not folder.is_dir():
        told = f"{folder} is on the engine's machine and cannot be seen from here"
        return Found(what="disk space", health=Health.POOR, told=told, remedy="Look there: docker system df")
    free = shutil.disk_usage(folder).free
    told = f"{free / (1 << 30):,.0f} GiB free in {folder}"
    if free < _ROOM:
        way = "Make room: docker system prune, docker buildx prune"
        return Found(what="disk space", health=Health.POOR, told=told, remedy=way)
    return Found(what="disk space", health=Health.GOOD, told=told)


def _buildx(endpoint: Endpoint) -> Found:
    try:
        found = find_buildx(endpoint.environment, None)
    except ImgcheckError as error:
        return _broken("buildx", error)
    version = ".".join(map(str, found.version))
    return Found(what="buildx", health=Health.GOOD, told=f"{version}, driver {found.driver}")


def _podman() -> Found:
    command = shutil.which(PODMAN)
    if command is None:
        return _bad("builder", "the engine is Podman, and there is no podman command here", "Install podman.")
    return Found(what="builder", health=Health.GOOD, told=f"{command} build")


def _login(environ: Mapping[str, str]) -> Found:
    """Which registries this machine has a login for; the engine asks for it when it pulls."""
    path = Path(environ.get("DOCKER_CONFIG") or Path.home() / ".docker") / "config.json"
    try:
        config = json.loads(path.read_text("utf-8"))
        by_registry = dict(config.get("credHelpers", {}))
        registries = sorted({*config.get("auths", {}), *by_registry})
        helpers = {str(one) for one in (config.get("credsStore"), *by_registry.values()) if one}
    except FileNotFoundError:
        return Found(what=_LOGIN, health=Health.POOR, told="none", remedy=_LOG_IN)
    except (OSError, ValueError, AttributeError, TypeError) as error:
        return _bad(_LOGIN, f"{path} cannot be read: {error}", "Mend the file, or log in anew: docker login REGISTRY")
    gone = sorted(one for one in helpers if shutil.which(f"docker-credential-{one}") is None)
    if gone:
        told = f"{path} names credential helpers that are not on PATH: {', '.join(gone)}"
        return _bad(_LOGIN, told, "Install docker-credential-NAME, or take the helper out of that file.")
    if not registries:
        return Found(what=_LOGIN, health=Health.POOR, told="none", remedy=_LOG_IN)
    return Found(what=_LOGIN, health=Health.GOOD, told=", ".join(registries))


def _bad(what: str, told: str, remedy: str) -> Found:
    return Found(what=what, health=Health.BAD, told=told, remedy=remedy, code=ExitCode.CHECK_ERROR)


def _bundle(environ: Mapping[str, str]) -> Found:
    named = {name: environ[name] for name in _BUNDLES if environ.get(name)}
    if not named:
        return Found(what="CA bundle", health=Health.GOOD, told="the system's; none is named by a variable")
    gone = [f"{name}={path}" for name, path in named.items() if not os.access(path, os.R_OK)]
    if gone:
        return _bad("CA bundle", f"cannot be read: {', '.join(gone)}", "Name a file that is there, in PEM form.")
    told = ", ".join(f"{name}={path}" for name, path in named.items())
    return Found(what="CA bundle", health=Health.GOOD, told=told)


def _cache(folder: Path) -> Found:
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if os.access(there, os.W_OK):
        return Found(what="facts cache", health=Health.GOOD, told=str(folder))
    told = f"{folder} cannot be written: facts are collected anew in each run"
    return Found(what="facts cache", health=Health.POOR, told=told, remedy="Name another folder: IMGCHECK_CACHE_DIR")

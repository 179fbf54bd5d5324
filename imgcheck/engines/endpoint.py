"""Which engine: settled once from flag, DOCKER_HOST or the current docker context, the same for SDK and process."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from docker.context import Context, ContextAPI
from docker.errors import DockerException
from docker.tls import TLSConfig

from imgcheck.engines.tls import EngineTLS, tls_from, tls_of_context

DEFAULT_HOST = "unix:///var/run/docker.sock"


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Where the engine answers. `environment` makes a docker process speak to the very same one."""

    host: str
    origin: str
    named: str = ""
    """What the user calls it, where `host` is only the way to it."""
    tls: EngineTLS | bool = False
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        return self.named or self.host


def settle(host: str | None, environ: Mapping[str, str] = os.environ) -> Endpoint:
    """The endpoint: `host` if given, else DOCKER_HOST, else the current docker context, else the default socket."""
    if host:
        return _by_host(host, "--host", environ)
    if environ.get("DOCKER_HOST"):
        return _by_host(environ["DOCKER_HOST"], "DOCKER_HOST", environ)
    context = _current_context()
    if context is None or not context.Host:
        return Endpoint(host=DEFAULT_HOST, origin="the default socket", environment={"DOCKER_HOST": DEFAULT_HOST})
    return Endpoint(
        host=context.Host,
        origin=f"docker context {context.Name}",
        tls=_tls(context, context.Host),
        environment={"DOCKER_CONTEXT": context.Name, "DOCKER_HOST": ""},
    )


def _by_host(host: str, origin: str, environ: Mapping[str, str]) -> Endpoint:
    """TLS as the docker client takes it from the environment: DOCKER_TLS_VERIFY and DOCKER_CERT_PATH."""
    tls: EngineTLS | bool = False
    if environ.get("DOCKER_TLS_VERIFY") and not host.startswith(("unix://", "ssh://", "npipe://")):
        folder = environ.get("DOCKER_CERT_PATH") or environ.get("DOCKER_CONFIG") or Path.home() / ".docker"
        tls = tls_from(Path(folder))
    return Endpoint(host=host, origin=origin, tls=tls, environment={"DOCKER_HOST": host, "DOCKER_CONTEXT": ""})


def _current_context() -> Context | None:
    try:
        return ContextAPI.get_current_context()
    except (DockerException, OSError, ValueError):
        return None


def _tls(context: Context, host: str) -> EngineTLS | bool:
    found: TLSConfig | None = context.TLSConfig
    return tls_of_context(found, context.Name) if found is not None and host.startswith("tcp") else False

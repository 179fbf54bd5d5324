"""Which engine: settled once from flag, DOCKER_HOST or the current docker context, the same for SDK and process."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from docker.context import Context, ContextAPI
from docker.errors import DockerException
from docker.tls import TLSConfig

DEFAULT_HOST = "unix:///var/run/docker.sock"


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Where the engine answers. `environment` makes a docker process speak to the very same one."""

    host: str
    origin: str
    tls: TLSConfig | bool = False
    environment: Mapping[str, str] = field(default_factory=dict)


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
        tls=context.TLSConfig if context.Host.startswith("tcp") else False,
        environment={"DOCKER_CONTEXT": context.Name, "DOCKER_HOST": ""},
    )


def _by_host(host: str, origin: str, environ: Mapping[str, str]) -> Endpoint:
    """TLS as the docker client takes it from the environment: DOCKER_TLS_VERIFY and DOCKER_CERT_PATH."""
    folder = environ.get("DOCKER_CERT_PATH", "")
    tls: TLSConfig | bool = False
    if environ.get("DOCKER_TLS_VERIFY") and folder:
        tls = TLSConfig(
            client_cert=(f"{folder}/cert.pem", f"{folder}/key.pem"),
            ca_cert=f"{folder}/ca.pem",
            verify=True,
        )
    return Endpoint(host=host, origin=origin, tls=tls, environment={"DOCKER_HOST": host, "DOCKER_CONTEXT": ""})


def _current_context() -> Context | None:
    try:
        return ContextAPI.get_current_context()
    except (DockerException, OSError, ValueError):
        return None

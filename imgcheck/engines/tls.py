"""TLS to an engine, as the docker command has it: its certificates alone count.

requests lets REQUESTS_CA_BUNDLE, which people behind a proxy set, go before the authority that a session was given
(`Session.merge_environment_settings`); the engine would then not be trusted. An adapter of its own has the last word.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docker.api.client import APIClient
from docker.errors import TLSParameterError
from docker.tls import TLSConfig
from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter

from imgcheck.errors import UsageError


class EngineTLS(TLSConfig):
    """Certificates of an engine, which the environment's do not replace."""

    def configure_client(self, client: APIClient) -> None:
        super().configure_client(client)
        client.mount("https://", _OwnAuthority(client.verify))


class _OwnAuthority(HTTPAdapter):
    def __init__(self, authority: bool | str | None) -> None:
        super().__init__()
        self._authority = authority

    def send(self, request: PreparedRequest, **settings: Any) -> Response:  # type: ignore[override]  # by name, as sessions do
        return super().send(request, **{**settings, "verify": self._authority})


def tls_from(folder: Path) -> EngineTLS:
    """The files that DOCKER_CERT_PATH holds: ca.pem, cert.pem, key.pem.

    Raises:
        UsageError: one is not there.
    """
    absent = [name for name in ("ca.pem", "cert.pem", "key.pem") if not (folder / name).is_file()]
    if absent:
        raise UsageError(
            f"DOCKER_TLS_VERIFY is set, and {folder} has no {', '.join(absent)}",
            remedy="name the folder of the engine's certificates in DOCKER_CERT_PATH, or unset DOCKER_TLS_VERIFY",
        )
    return EngineTLS(
        client_cert=(str(folder / "cert.pem"), str(folder / "key.pem")), ca_cert=str(folder / "ca.pem"), verify=True
    )


def tls_of_context(found: TLSConfig, name: str) -> EngineTLS:
    """A context's own certificates.

    Raises:
        UsageError: a file of them is gone.
    """
    try:
        return EngineTLS(client_cert=found.cert, ca_cert=found.ca_cert, verify=found.verify)
    except TLSParameterError as error:
        raise UsageError(
            f"docker context {name}: {error}", remedy=f"make the context anew: docker context rm {name}"
        ) from None

"""An engine behind ssh, as a socket of this machine: `ssh -L`, which forwards unix sockets since OpenSSH 6.7.

The docker package speaks ssh through paramiko, which knows neither the user's ssh settings nor how to attach to a
container without a docker command over there; Podman has none. The forwarded socket serves both, and the builders too.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, urlsplit

from imgcheck import process
from imgcheck.drafts import room_for
from imgcheck.engines.endpoint import Endpoint
from imgcheck.errors import EngineOutOfReachError, UsageError

_SOCKET: Final = "/var/run/docker.sock"
_PATIENCE: Final = 60.0
_EVERY: Final = 0.05


@contextmanager
def near(endpoint: Endpoint) -> Iterator[Endpoint]:
    """The endpoint as it is reached from here, as long as the context lasts; itself, unless it is behind ssh.

    Raises:
        EngineOutOfReachError: ssh does not get there.
        UsageError: the address cannot be read, or there is no ssh command.
        HostError: there is no room for the socket.
    """
    if not endpoint.host.startswith("ssh://"):
        yield endpoint
        return
    address = urlsplit(endpoint.host)
    with room_for("the engine's socket") as folder:
        local = folder / "engine.sock"
        with _ssh(_command(address, local), endpoint) as running:
            _wait_for(local, running, endpoint)
            host = f"unix://{local}"
            yield replace(
                endpoint, host=host, named=endpoint.host, environment={"DOCKER_HOST": host, "DOCKER_CONTEXT": ""}
            )


def _command(address: SplitResult, local: Path) -> tuple[str, ...]:
    try:
        port = address.port
    except ValueError:
        port = 0
    if not address.hostname or port == 0 or address.hostname.startswith("-"):
        raise UsageError(
            f"{address.geturl()}: it names no machine that ssh could reach",
            remedy="write ssh://USER@HOST, with :PORT and /path/of/the.sock where they differ from 22 and Docker's",
        )
    named = f"{address.username}@{address.hostname}" if address.username else address.hostname
    remote = address.path if address.path not in ("", "/") else _SOCKET
    ports = ("-p", str(port)) if port else ()
    options = ("-o", "ExitOnForwardFailure=yes", "-o", "ServerAliveInterval=30", "-o", "ControlPath=none")
    return ("ssh", "-nNT", *options, *ports, "-L", f"{local}:{remote}", "--", named)


@contextmanager
def _ssh(command: tuple[str, ...], endpoint: Endpoint) -> Iterator[subprocess.Popen[bytes]]:
    with ExitStack() as stack:
        try:
            running = stack.enter_context(process.held(command))
        except OSError as error:
            raise UsageError(
                f"{endpoint.host} needs the ssh command, which cannot be started: {error.strerror}",
                remedy="install the OpenSSH client",
            ) from None
        yield running


def _wait_for(local: Path, running: subprocess.Popen[bytes], endpoint: Endpoint) -> None:
    until = time.monotonic() + _PATIENCE
    while not local.exists():
        if running.poll() is not None or time.monotonic() > until:
            raise _unreached(running, endpoint)
        time.sleep(_EVERY)


def _unreached(running: subprocess.Popen[bytes], endpoint: Endpoint) -> EngineOutOfReachError:
    ended = running.poll() is not None
    assert running.stderr is not None
    words = running.stderr.read().decode(errors="replace").strip().splitlines() if ended else []
    reason = words[-1] if words else f"ssh did not get there in {_PATIENCE:.0f} s"
    return EngineOutOfReachError(
        f"no container engine answers at {endpoint.host} (from {endpoint.origin}): {reason}",
        remedy="ssh must get there without asking: try ssh -T with that address; an agent or a key of its own helps",
    )

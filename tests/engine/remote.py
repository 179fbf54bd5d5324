"""Ways to the engine of this machine as if it were another's: behind ssh, and behind TLS with client certificates."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncssh
import trustme

SOCKET = "/var/run/docker.sock"


@contextmanager
def serving(start: Callable[[int], Awaitable[Any]]) -> Iterator[int]:
    """The port of a server on the loopback, as long as the context lasts."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
    started, loops = threading.Event(), list[asyncio.AbstractEventLoop]()
    over = asyncio.Event()

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        server = await start(port)
        started.set()
        await over.wait()
        server.close()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert started.wait(30)
    try:
        yield port
    finally:
        loops[0].call_soon_threadsafe(over.set)
        thread.join(10)


class _Forwarding(asyncssh.SSHServer):
    """Lets anybody in who has the loopback, and to sockets alone."""

    def begin_auth(self, _username: str) -> bool:
        return False

    def unix_connection_requested(self, _path: str) -> bool:
        return True


@contextmanager
def ssh_server() -> Iterator[int]:
    key = asyncssh.generate_private_key("ssh-ed25519")

    async def start(port: int) -> asyncssh.SSHAcceptor:
        return await asyncssh.create_server(_Forwarding, "127.0.0.1", port, server_host_keys=[key])

    with serving(start) as port:
        yield port


@contextmanager
def tls_server(folder: Path) -> Iterator[int]:
    """Puts what a client needs into `folder`, under the names that docker knows."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    client = authority.issue_cert("client@example.org")
    client.cert_chain_pems[0].write_to_path(str(folder / "cert.pem"))
    client.private_key_pem.write_to_path(str(folder / "key.pem"))
    settings = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(settings)
    authority.configure_trust(settings)
    settings.verify_mode = ssl.CERT_REQUIRED

    async def start(port: int) -> asyncio.Server:
        return await asyncio.start_server(_forward, "127.0.0.1", port, ssl=settings)

    with serving(start) as port:
        yield port


async def _forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    near_reader, near_writer = await asyncio.open_unix_connection(SOCKET)
    await asyncio.gather(_pump(reader, near_writer), _pump(near_reader, writer), return_exceptions=True)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()

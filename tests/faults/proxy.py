"""A socket between imgcheck and the engine, that goes away, waits, answers faults and cuts streams as it is told."""

from __future__ import annotations

import re
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

_ANSWER = b"HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
_SAID = b'{"message":"a fault that was injected"}'


@dataclass
class Trouble:
    """What happens to requests whose first line matches.

    Args:
        request: a pattern, as "POST .*/start".
        status_500: how often a fault is answered in place of the engine.
        cut_after: bytes of the answer, without its head, after which both sides are closed, once; None for never.
    """

    request: str
    status_500: int = 0
    cut_after: int | None = None
    met: int = field(default=0)


class Proxy:
    """Listens on a path of its own; what is not in trouble is handed on as it is."""

    def __init__(self, path: Path, engine: str) -> None:
        self.path = path
        self.engine = engine
        self.delay = 0.0
        self.trouble: Trouble | None = None
        self.requests: list[str] = []
        self._open: set[socket.socket] = set()
        self._listener: socket.socket | None = None
        self._lock = threading.Lock()

    @property
    def host(self) -> str:
        return f"unix://{self.path}"

    def come(self) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen(64)
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def go(self) -> None:
        """As an engine that stops: nobody listens, and every connection ends."""
        if self._listener is not None:
            self.path.unlink(missing_ok=True)
            with suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None
        with self._lock:
            ending = list(self._open)
        for one in ending:
            _end(one)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        engine = socket.socket(socket.AF_UNIX)
        with self._lock:
            self._open |= {client, engine}
        limit = _Limit()
        try:
            engine.connect(self.engine)
            threading.Thread(target=_answers, args=(engine, client, limit), daemon=True).start()
            self._requests(client, engine, limit)
        except OSError:
            pass
        finally:
            if limit.left is None:
                with suppress(OSError):
                    engine.shutdown(socket.SHUT_WR)
            with self._lock:
                self._open -= {client, engine}

    def _requests(self, client: socket.socket, engine: socket.socket, limit: _Limit) -> None:
        """Requests one after another; from an upgrade on, bytes."""
        pending = b""
        while True:
            while b"\r\n\r\n" not in pending:
                more = client.recv(65536)
                if not more:
                    return
                pending += more
            head, _, rest = pending.partition(b"\r\n\r\n")
            length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
            size = int(length[1]) if length else 0
            while len(rest) < size:
                rest += client.recv(65536) or _gone()
            line = head.split(b"\r\n", 1)[0].decode("latin-1")
            time.sleep(self.delay)
            if not self._troubled(line, client, limit):
                engine.sendall(head + b"\r\n\r\n" + rest[:size])
            pending = rest[size:]
            if re.search(rb"(?i)\r\n(upgrade:|transfer-encoding: *chunked)", head):
                break
        engine.sendall(pending)
        while more := client.recv(65536):
            engine.sendall(more)

    def _troubled(self, line: str, client: socket.socket, limit: _Limit) -> bool:
        self.requests.append(line)
        trouble = self.trouble
        if trouble is None or not re.match(trouble.request, line):
            return False
        with self._lock:
            trouble.met += 1
            if trouble.met <= trouble.status_500:
                client.sendall(_ANSWER % (len(_SAID), _SAID))
                return True
            if trouble.met == 1 and trouble.cut_after is not None:
                limit.left = trouble.cut_after
        return False


@dataclass
class _Limit:
    """Bytes of an answer that pass yet, and whether its head has."""

    left: int | None = None
    in_body: bool = False


def _answers(engine: socket.socket, client: socket.socket, limit: _Limit) -> None:
    try:
        while data := engine.recv(65536):
            if limit.left is not None:
                if not limit.in_body:
                    limit.left += data.index(b"\r\n\r\n") + 4  # an answer's head comes at once
                    limit.in_body = True
                data, limit.left = data[: limit.left], limit.left - len(data)
            client.sendall(data)
            if limit.left is not None and limit.left <= 0:
                break
    except OSError:
        pass
    _end(client)
    _end(engine)


def _gone() -> bytes:
    raise ConnectionError


def _end(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()

"""Frames of an attached container: a stream's number, a size, and as many bytes."""

from __future__ import annotations

import selectors
from collections.abc import Callable, Iterator
from typing import Any, Final

from imgcheck.engines.engine import Chunk

SILENCE: Final = 5.0
"""Seconds without output after which the container itself is looked at."""
_HEADER: Final = 8
_MOST: Final = 1 << 16


def read_frames(attached: Any, look: Callable[[], None]) -> Iterator[Chunk]:
    """Output as it comes, to its end.

    Args:
        attached: the connection: a socket, or a raw file over one.
        look: called whenever nothing came for a while; it may raise.

    Raises:
        ConnectionError: it ended inside a frame.
    """
    with selectors.DefaultSelector() as selector:
        selector.register(attached, selectors.EVENT_READ)

        def some(most: int) -> bytes:
            while not _pending(attached) and not selector.select(SILENCE):
                look()
            data: bytes | None = attached.recv(most) if hasattr(attached, "recv") else attached.read(most)
            return data or b""

        while True:
            header = b""
            while len(header) < _HEADER:
                more = some(_HEADER - len(header))
                if not more and not header:
                    return
                header += _there(more)
            left = int.from_bytes(header[4:], "big")
            while left:
                data = _there(some(min(left, _MOST)))
                left -= len(data)
                yield Chunk(stream=header[0], data=data)


def _there(data: bytes) -> bytes:
    if not data:
        raise ConnectionError("the connection was cut in the middle of an answer")
    return data


def _pending(attached: Any) -> bool:
    """Whether TLS has decrypted more than was read."""
    return bool(attached.pending()) if hasattr(attached, "pending") else False

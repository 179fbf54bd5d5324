"""Frames are read whole, to the end; what is cut is an error, and silence is looked at."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from imgcheck.engines import frames
from imgcheck.engines.engine import Chunk
from imgcheck.engines.frames import read_frames


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, engines = socket.socketpair()
    with ours, engines:
        yield ours, engines


def frame(data: bytes, stream: int = 1) -> bytes:
    return bytes([stream, 0, 0, 0]) + len(data).to_bytes(4, "big") + data


def never() -> None:
    pytest.fail("nothing was silent")


def test_frames_are_read_to_the_end(ends: tuple[socket.socket, socket.socket]) -> None:
    ours, engines = ends
    engines.sendall(frame(b"out") + frame(b"") + frame(b"err", 2))
    engines.shutdown(socket.SHUT_WR)
    assert list(read_frames(ours, never)) == [Chunk(stream=1, data=b"out"), Chunk(stream=2, data=b"err")]


@pytest.mark.parametrize("cut", [1, 7, 8, 10])
def test_what_is_cut_is_an_error(ends: tuple[socket.socket, socket.socket], cut: int) -> None:
    ours, engines = ends
    engines.sendall(frame(b"out")[:cut])
    engines.shutdown(socket.SHUT_WR)
    with pytest.raises(ConnectionError, match="cut in the middle"):
        list(read_frames(ours, never))


def test_silence_is_looked_at(ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "SILENCE", 0.01)
    ours, engines = ends
    looks = threading.Semaphore(0)

    def look() -> None:
        looks.release()
        if looks._value == 3:
            engines.sendall(frame(b"late"))
            engines.shutdown(socket.SHUT_WR)

    assert [one.data for one in read_frames(ours, look)] == [b"late"]

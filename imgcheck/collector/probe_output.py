"""What a program writes: read as it comes, bounded, each line looked at. A flood fills neither memory nor disk.

Kept are the first and the last part; what was between them is counted. Floor: Python 3.8.
"""

from __future__ import annotations

import os
import re
import threading
from typing import Iterable

KEPT = 256 * 1024
"""Bytes that are kept of the beginning, and as many of the end."""
TAIL = 8192
_LINE = 16 * 1024
_SHOWN_LINES = 8


class Lines:
    """Looks for lines that match, whatever pieces the text comes in. `found` holds the first few of each pattern."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self.found: dict[str, list[str]] = {pattern: [] for pattern in patterns if pattern}
        self._compiled = {pattern: re.compile(pattern) for pattern in self.found}
        self._rest = b""

    def feed(self, data: bytes) -> None:
        if not self._compiled:
            return
        *whole, rest = (self._rest + data).split(b"\n")
        for line in whole:
            self._look(line)
        self._rest = rest[-_LINE:]
        self._look(self._rest)

    def _look(self, line: bytes) -> None:
        """A line, or as much as there is of it yet: a prompt has no end."""
        text = line[:_LINE].decode("utf-8", "replace").strip()
        for pattern, compiled in self._compiled.items():
            found = self.found[pattern]
            if text and len(found) < _SHOWN_LINES and compiled.search(text):
                if found and text.startswith(found[-1]):
                    found.pop()
                found.append(text[:400])


class Output:
    """A program's output, pumped from its pipe by a thread until all its writers are gone."""

    def __init__(self, descriptor: int, patterns: Iterable[str]) -> None:
        self.lines = Lines(patterns)
        self._descriptor = descriptor
        self._head = b""
        self._tail = b""
        self._size = 0
        self._thread = threading.Thread(target=self._pump, daemon=True)
        self._thread.start()

    def _pump(self) -> None:
        while True:
            try:
                data = os.read(self._descriptor, 65536)
            except OSError:
                break
            if not data:
                break
            self._keep(data)
            self.lines.feed(data)

    def _keep(self, data: bytes) -> None:
        self._size += len(data)
        room = KEPT - len(self._head)
        self._head += data[:room] if room > 0 else b""
        self._tail = (self._tail + data[max(room, 0) :])[-KEPT:]

    def settle(self, seconds: float = 1.0) -> None:
        """Wait for what is still in the pipe; what a fled process holds open is not waited for."""
        self._thread.join(seconds)

    def text(self) -> str:
        """All of it, but for what was left out between the beginning and the end."""
        head, tail = self._head, self._tail
        left_out = self._size - len(head) - len(tail)
        between = f"\n[{left_out:,} bytes left out]\n".encode() if left_out > 0 else b""
        return (head + between + tail).decode("utf-8", "replace")

    def tail(self) -> str:
        return (self._head + self._tail)[-TAIL:].decode("utf-8", "replace")

    @property
    def size(self) -> int:
        return self._size


class LogFiles:
    """Files that grow, or appear: each new part is looked at once."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self.lines = Lines(patterns)
        self._read: dict[str, int] = {}

    def look(self, files: Iterable[str]) -> None:
        if not self.lines.found:
            return
        for file in files:
            try:
                with open(file, "rb") as stream:
                    stream.seek(self._read.get(file, 0))
                    data = stream.read(1 << 20)
            except OSError:
                continue
            self._read[file] = self._read.get(file, 0) + len(data)
            self.lines.feed(data)

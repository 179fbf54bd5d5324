"""The answer channel: JSON lines that nothing in the image can disturb or imitate.

Each line carries the run's secret and a sequence number; the last one tells how many there were. The channel
is a private copy of standard output, closed in every child; what imported modules print goes to standard error.
"""

from __future__ import annotations

import _thread
import json
import os
import re
import time
from typing import Any

_ALIVE = 5.0
"""Seconds between two signs of life."""
_LONE_SURROGATE = re.compile(r"\\ud[89a-f]")


class Channel:
    """Sends facts to the host.

    Args:
        secret: what the host sent; proves that a line is ours.
    """

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._sent = 0
        self._lock = _thread.allocate_lock()
        self._fd = os.dup(1)  # not inherited by children (PEP 446)
        os.dup2(2, 1)

    def send(self, kind: str, **fields: Any) -> None:
        """One fact as one line; names that are not UTF-8 arrive with backslash escapes."""
        with self._lock:
            self._send(kind, fields)

    def end(self) -> None:
        with self._lock:
            self._send("end", {"count": self._sent + 1})

    def keep_alive(self) -> None:
        """Gives a sign of life every few seconds from now on: whoever listens can tell work from a stopped process."""
        _thread.start_new_thread(self._beat, ())

    def _beat(self) -> None:
        while True:
            time.sleep(_ALIVE)
            try:
                self.send("alive")
            except OSError:  # nobody listens any more
                return

    def _send(self, kind: str, fields: dict[str, Any]) -> None:
        self._sent += 1
        line = {"secret": self._secret, "number": self._sent, "kind": kind, **fields}
        text = json.dumps(line, separators=(",", ":"))
        if _LONE_SURROGATE.search(text):
            text = json.dumps(_printable(line), separators=(",", ":"))
        self._write(text.encode("ascii") + b"\n")

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._fd, view) :]


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_printable(key): _printable(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_printable(one) for one in value]
    return value

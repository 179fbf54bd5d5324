"""The answer channel: JSON lines that nothing in the image can disturb or imitate.

Each line carries the run's secret and a sequence number; the last one tells how many there were. The channel
is a private copy of standard output, closed in every child; what imported modules print goes to standard error.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any

_LONE_SURROGATE = re.compile(r"\\ud[89a-f]")


class Channel:
    """Sends facts to the host.

    Args:
        secret: what the host sent; proves that a line is ours.
    """

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._sent = 0
        self._fd = os.dup(1)  # not inherited by children (PEP 446)
        os.dup2(2, 1)

    def send(self, kind: str, **fields: Any) -> None:
        """One fact as one line; names that are not UTF-8 arrive with backslash escapes."""
        self._sent += 1
        line = {"secret": self._secret, "number": self._sent, "kind": kind, **fields}
        text = json.dumps(line, separators=(",", ":"))
        if _LONE_SURROGATE.search(text):
            text = json.dumps(_printable(line), separators=(",", ":"))
        self._write(text.encode("ascii") + b"\n")

    def end(self) -> None:
        self.send("end", count=self._sent + 1)

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

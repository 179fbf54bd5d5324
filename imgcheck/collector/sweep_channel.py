"""The FIFOs between the server and one process. Each process has its own, and a key that no other process knows.

FIFOs have names, so a process that closed its descriptors can open them again, and they need nothing but the posix
module on the other side; sockets would load a module that a fresh interpreter has not loaded.
"""

from __future__ import annotations

import json
import marshal
import os
from typing import Any, Dict, List

_LONGEST = 1 << 23
_CHUNK = 1 << 16

Command = Dict[str, Any]
Answer = List[Any]  # its kind, and what that kind has to say


class Channel:
    """The server's ends.

    Args:
        folder: where the FIFOs are made.
        commands: whether the process may take commands (a zygote) or only answers.
    """

    def __init__(self, folder: str, commands: bool = True) -> None:
        self.key = os.urandom(8).hex()
        self._mark = ('["' + self.key + '"').encode("ascii")
        self._base = os.path.join(folder, os.urandom(8).hex())
        self._rest = b""
        kinds = ("commands", "answers", "errors") if commands else ("answers", "errors")
        self.paths = {kind: f"{self._base}.{kind}" for kind in kinds}
        self._ends: dict[str, int] = {}
        try:
            for kind, path in self.paths.items():
                os.mkfifo(path, 0o600)
                # Reading and writing at once never blocks at open, and a dead reader is no SIGPIPE.
                mode = os.O_RDWR if kind == "commands" else os.O_RDONLY
                self._ends[kind] = os.open(path, mode | os.O_NONBLOCK)
        except OSError:
            self.close()
            raise

    @property
    def answers(self) -> int:
        return self._ends["answers"]

    @property
    def errors(self) -> int:
        return self._ends["errors"]

    def send(self, command: Command) -> None:
        """Raises OSError where the FIFO is full, that is, where nobody reads it."""
        data = marshal.dumps(command, 2)
        data = len(data).to_bytes(4, "big") + data
        if os.write(self._ends["commands"], data) != len(data):
            raise BlockingIOError("the command was not taken whole")

    def receive(self) -> tuple[list[Answer], bool]:
        """The answers that are there, without their key, and whether the other end is closed."""
        found: list[Answer] = []
        while True:
            part = _read(self.answers)
            if not part:
                return found, part is not None
            *lines, self._rest = (self._rest + part).split(b"\n")
            self._rest = self._rest[-_LONGEST:]
            found.extend(answer for answer in map(self._decoded, lines) if answer)

    def _decoded(self, line: bytes) -> Answer | None:
        """A module may write to any descriptor: what does not carry the key is none of ours."""
        if not line.startswith(self._mark):
            return None
        try:
            answer = json.loads(line.decode("ascii"))
        except (ValueError, RecursionError):
            return None
        return answer[1:] if isinstance(answer, list) and len(answer) > 1 else None

    def read_errors(self) -> bytes | None:
        """What the process wrote to its standard error since the last time; None where nothing is there now."""
        return _read(self.errors)

    def stop_errors(self) -> None:
        if "errors" in self._ends:
            os.close(self._ends.pop("errors"))
            os.unlink(self.paths["errors"])

    def close(self) -> None:
        for end in self._ends.values():
            os.close(end)
        self._ends = {}
        for path in self.paths.values():
            try:
                os.unlink(path)
            except FileNotFoundError:
                pass


def _read(end: int) -> bytes | None:
    """Bytes; empty at the end of the file; None where there is nothing yet."""
    try:
        return os.read(end, _CHUNK)
    except BlockingIOError:
        return None

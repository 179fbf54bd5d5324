"""What became of a probe: the typed twin of the collector's answer."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from imgcheck.facts.strict import FactModel, Name, Text


class ProbeFacts(FactModel):
    """What became of a probe: how far it came, and what its logs say."""

    name: Name
    reached: Literal["skipped", "start", "answer", "alive", "then", "stop", "done"]
    """The last stage it was in: "done" is a pass."""
    detail: Text = ""
    exit_code: int | None = None
    signal: int | None = None
    answer: Text = ""
    """The last HTTP answer's first lines, or the last connection's error."""
    output: Text = ""
    """The tail of what the command, or the server, wrote."""
    server_output: Text = ""
    """The tail of what the server wrote, where `output` is the command's that follows."""
    written: int = 0
    """Bytes that it wrote in all."""
    logs: dict[Name, Text] = Field(default_factory=dict)
    """The tail of each log file."""
    warnings: tuple[Text, ...] = ()
    """Lines that the probe warns of."""
    leftovers: tuple[Text, ...] = ()
    """Command lines of processes that were still there after its end."""
    ignored_term: bool = False
    """The server did not end when it was told to, and was killed."""
    memory_kills: int = 0
    """Processes that the kernel ended because the container's memory was full."""
    attempts: int = 1
    """How often it was tried until it ended so."""
    wall_seconds: float = 0.0

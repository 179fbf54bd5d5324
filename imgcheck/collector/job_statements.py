"""The job "statements": import statements that nothing installed provides."""

from __future__ import annotations

from typing import Any, Dict

from imgcheck.collector.channel import Channel
from imgcheck.collector.installed import look
from imgcheck.collector.statements import unprovided_imports

Facts = Dict[str, Any]


def run(request: Facts, channel: Channel) -> None:
    interpreter, _, modules = look(request["python"])
    summary = unprovided_imports(
        modules, interpreter["path"], interpreter["stdlib"], lambda facts: channel.send("statement", facts=facts)
    )
    channel.send("summary", facts=summary)

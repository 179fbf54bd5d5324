"""The job "together": modules imported in one process, in this order and in the reversed."""

from __future__ import annotations

from typing import Any, Dict

from imgcheck.collector.channel import Channel
from imgcheck.collector.together import import_together

Facts = Dict[str, Any]


def run(request: Facts, channel: Channel) -> None:
    names, seconds = request["names"], request["timeout"]
    for order in (names, names[::-1]):
        channel.send("together", facts=import_together(request["python"], order, seconds))

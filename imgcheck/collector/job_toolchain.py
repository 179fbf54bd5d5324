"""The job "toolchain": what is there for code that is compiled while a program runs."""

from __future__ import annotations

import os
from typing import Any, Dict

from imgcheck.collector.channel import Channel
from imgcheck.collector.toolchain import toolchain

Facts = Dict[str, Any]


def run(request: Facts, channel: Channel) -> None:
    os.makedirs(request["scratch"], exist_ok=True)
    channel.send("toolchain", facts=toolchain(request["scratch"]))

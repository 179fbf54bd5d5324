"""The job "questions": what modules say of themselves once they are imported."""

from __future__ import annotations

import os
from typing import Any, Dict

from imgcheck.collector.channel import Channel
from imgcheck.collector.questions import ask_modules

Facts = Dict[str, Any]


def run(request: Facts, channel: Channel) -> None:
    os.makedirs(request["scratch"], exist_ok=True)
    for facts in ask_modules(request["questions"], request["python"], request["timeout"], request["scratch"]):
        channel.send("asked", facts=facts)

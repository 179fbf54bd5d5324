"""The job "probe": one program that must start."""

from __future__ import annotations

from typing import Any, Dict

from imgcheck.collector.channel import Channel
from imgcheck.collector.probe import run_probe

Facts = Dict[str, Any]


def run(request: Facts, channel: Channel) -> None:
    channel.send("probe", facts=run_probe(request["probe"], request["python"], request["scratch"]))

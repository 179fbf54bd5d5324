"""The job "kernels": kernels compiled for their signatures, and those that would compile later."""

from __future__ import annotations

from typing import Any, Dict

from imgcheck.collector.channel import Channel
from imgcheck.collector.installed import look
from imgcheck.collector.kernels import compile_kernels, lazy_kernels

Facts = Dict[str, Any]


def run(request: Facts, channel: Channel) -> None:
    compile_kernels(request, request["python"], lambda facts: channel.send("compiled", facts=facts))
    for facts in lazy_kernels(look(request["python"])[2]):
        channel.send("lazy", facts=facts)

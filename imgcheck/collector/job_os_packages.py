"""The job "os-packages": what dpkg, apk or rpm say is installed."""

from __future__ import annotations

from typing import Any, Dict

from imgcheck.collector.channel import Channel
from imgcheck.collector.os_packages import os_packages

Facts = Dict[str, Any]


def run(_request: Facts, channel: Channel) -> None:
    channel.send("packages", facts=os_packages())

"""The job "native": native files of distributions and of named folders."""

from __future__ import annotations

import os
from typing import Any, Dict

from imgcheck.collector.channel import Channel
from imgcheck.collector.installed import look
from imgcheck.collector.native import native_facts

Facts = Dict[str, Any]


def run(request: Facts, channel: Channel) -> None:
    interpreter, distributions, modules = look(request["python"])
    search = os.environ.get("LD_LIBRARY_PATH", "")
    summary = native_facts(
        distributions,
        modules,
        request["folders"],
        search,
        lambda facts: channel.send("file", facts=facts),
        interpreter["path"],
    )
    channel.send("summary", facts=summary)

"""The job "files": what is listed against what is there."""

from __future__ import annotations

import gc
from typing import Any, Dict

from imgcheck.collector.channel import Channel
from imgcheck.collector.distributions import find_distributions
from imgcheck.collector.files import look_at_files
from imgcheck.collector.interpreter import search_path

Facts = Dict[str, Any]


def run(request: Facts, channel: Channel) -> None:
    gc.disable()  # tens of thousands of small objects, none in a cycle, and an end soon
    interpreter = search_path(request["python"])
    distributions = find_distributions(interpreter["path"], whole=False)
    summary = look_at_files(
        interpreter, distributions, lambda kind, facts: channel.send(kind, facts=facts), deep=request["deep"]
    )
    channel.send("summary", facts=summary)

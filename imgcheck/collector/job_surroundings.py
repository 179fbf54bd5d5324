"""The job "surroundings": variables, paths, scripts, entry points, front folders."""

from __future__ import annotations

from typing import Any, Dict

from imgcheck.collector.channel import Channel
from imgcheck.collector.distributions import entry_points_of, find_distributions
from imgcheck.collector.interpreter import search_path
from imgcheck.collector.surroundings import surroundings

Facts = Dict[str, Any]


def run(request: Facts, channel: Channel) -> None:
    interpreter = search_path(request["python"])
    distributions = [
        dict(one, entry_points=entry_points_of(one["metadata_path"]))
        for one in find_distributions(interpreter["path"], whole=False)
    ]
    channel.send("surroundings", facts=surroundings(interpreter, distributions, request))

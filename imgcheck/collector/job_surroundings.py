"""The job "surroundings": variables, paths, scripts, entry points, front folders."""

from __future__ import annotations

from typing import Any, Dict

from imgcheck.collector.channel import Channel
from imgcheck.collector.distributions import find_distributions
from imgcheck.collector.interpreter import interpreter_facts
from imgcheck.collector.surroundings import surroundings

Facts = Dict[str, Any]


def run(request: Facts, channel: Channel) -> None:
    interpreter = interpreter_facts(request["python"])
    distributions = find_distributions(interpreter["path"])
    channel.send("surroundings", facts=surroundings(interpreter, distributions, request))

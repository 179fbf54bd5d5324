"""The job "scripts": each console script of a distribution that PATH leads to, asked for help."""

from __future__ import annotations

from typing import Any, Dict

from imgcheck.collector.channel import Channel
from imgcheck.collector.distributions import find_distributions
from imgcheck.collector.interpreter import interpreter_facts
from imgcheck.collector.patterns import matches
from imgcheck.collector.script_runs import run_scripts
from imgcheck.collector.scripts import find_on_path

Facts = Dict[str, Any]


def run(request: Facts, channel: Channel) -> None:
    interpreter = interpreter_facts(request["python"])
    names = {
        entry["name"]
        for one in find_distributions(interpreter["path"])
        for entry in one["entry_points"]
        if entry["group"] == "console_scripts" and not matches(entry["name"], request["exclude"])
    }
    found = ((name, find_on_path(name)) for name in sorted(names))
    run_scripts([pair for pair in found if pair[1]], request, lambda facts: channel.send("script", facts=facts))

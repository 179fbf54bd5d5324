"""The job "scripts": each console script of a distribution that PATH leads to, asked for help."""

from __future__ import annotations

from typing import Any, Dict

from imgcheck.collector.channel import Channel
from imgcheck.collector.distributions import entry_points_of, find_distributions
from imgcheck.collector.interpreter import search_path
from imgcheck.collector.patterns import matches
from imgcheck.collector.script_runs import run_scripts
from imgcheck.collector.scripts import find_on_path

Facts = Dict[str, Any]


def run(request: Facts, channel: Channel) -> None:
    names = {
        entry["name"]
        for one in find_distributions(search_path(request["python"])["path"], whole=False)
        for entry in entry_points_of(one["metadata_path"])
        if entry["group"] == "console_scripts" and not matches(entry["name"], request["exclude"])
    }
    found = ((name, find_on_path(name)) for name in sorted(names))
    run_scripts([pair for pair in found if pair[1]], request, lambda facts: channel.send("script", facts=facts))

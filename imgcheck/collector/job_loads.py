"""The job "loads": shared libraries that imports tried to load in vain, tried once more."""

from __future__ import annotations

import os
from typing import Any, Dict

from imgcheck.collector.channel import Channel
from imgcheck.collector.installed import look
from imgcheck.collector.loads import try_loads
from imgcheck.collector.native_files import owners_of_files

Facts = Dict[str, Any]


def run(request: Facts, channel: Channel) -> None:
    os.makedirs(request["scratch"], exist_ok=True)
    _, distributions, modules = look(request["python"])
    owners = owners_of_files([path for paths in request["paths"].values() for path in paths], distributions)
    extensions = {os.path.realpath(one["path"]) for one in modules if one["kind"] == "extension"}
    for facts in try_loads(request["paths"], request["python"], request["timeout"], request["scratch"]):
        path = facts["path"]
        told = {"distribution": owners.get(path, ""), "extension": os.path.realpath(path) in extensions}
        channel.send("load", facts=dict(facts, **told))

"""The job "inventory": the interpreter and the distributions, each with its modules."""

from __future__ import annotations

import os
import resource
from typing import Any, Dict

from imgcheck.collector.access import closed_entries, unreadable
from imgcheck.collector.channel import Channel
from imgcheck.collector.installed import look
from imgcheck.collector.locations import Locations
from imgcheck.collector.programs import python_scripts

_NOT_SENT = ("files",)
_SHOWN = 200

Facts = Dict[str, Any]


def run(request: Facts, channel: Channel) -> None:
    interpreter, distributions, modules = look(request["python"])
    channel.send("interpreter", facts=dict(interpreter, closed=closed_entries(interpreter["path"])))
    owned: dict[str, list[tuple[str, str, str]]] = {}
    for one in modules:
        for name in [one["distribution"], *one.get("also", ())]:
            owned.setdefault(name, []).append((one["module"], one["kind"], one["group"]))
    locations = Locations(interpreter["path"])
    for one in distributions:
        facts = distribution_facts(one, owned.get(one["name"], []))
        if not facts["modules"]:
            facts.update(python_scripts(outside(one), locations, interpreter["stdlib"]))
        channel.send("distribution", facts=facts)
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    channel.send("cpu", seconds=round(sum(one.ru_utime + one.ru_stime for one in usage), 3))


def distribution_facts(distribution: Facts, modules: list[tuple[str, str, str]]) -> Facts:
    """What is sent of a distribution: how many files it lists instead of which."""
    facts = {key: value for key, value in distribution.items() if key not in _NOT_SENT}
    files = distribution["files"]
    facts["has_record"] = files is not None
    facts["files"] = len(files or ())
    facts["modules"] = modules
    own = os.path.basename(distribution["metadata_path"]) + "/"
    facts.update(unreadable(distribution))
    facts["others"] = [] if modules else [name for name in files or () if not name.startswith((own, "../"))][:_SHOWN]
    facts["outside"] = None if files is None else len(outside(distribution))
    return facts


def outside(distribution: Facts) -> list[str]:
    """Files beyond the distribution's location, the scripts left out that installers make for its entry points."""
    scripts = {one["name"] for one in distribution["entry_points"]}
    names = (name for name in distribution["files"] or () if name.startswith("../"))
    location = distribution["location"]
    return [os.path.normpath(os.path.join(location, name)) for name in names if os.path.basename(name) not in scripts]

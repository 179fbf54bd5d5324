"""The job "imports": the sweep of all modules, or of those that are named.

Its options are those of `sweep`, and which modules: {"groups", "exclude"}, or the names in "only". With
"announce" each module is named before it is imported.
"""

from __future__ import annotations

from typing import Any, Dict

from imgcheck.collector.arguments import reads_arguments
from imgcheck.collector.channel import Channel
from imgcheck.collector.installed import look
from imgcheck.collector.locations import Locations
from imgcheck.collector.patterns import matches
from imgcheck.collector.sources import read_source
from imgcheck.collector.sweep import sweep
from imgcheck.collector.sweep_bytecode import brings_bytecode

_NEVER_LOADED = ("second-file", "other-abi")
_FAILED_IMPORTS = ("ModuleNotFoundError", "ImportError")

Facts = Dict[str, Any]


def run(request: Facts, channel: Channel) -> None:
    options = dict(request["options"], python=request["python"], scratch=request["scratch"])
    interpreter, distributions, modules = look(request["python"])
    options["requires"] = {one["name"]: one["requires_dist"] for one in distributions}
    locations = Locations(interpreter["path"])
    options["bytecode"] = brings_bytecode(modules)
    groups = set(options.pop("groups"))
    excluded = options.pop("exclude")
    named = set(options.pop("only", ()))
    left_out: dict[str, int] = {}
    if named:
        swept = [one for one in modules if one["module"] in named and one["group"] not in _NEVER_LOADED]
    else:
        swept = [one for one in modules if one["group"] in groups and not matches(one["module"], excluded)]
        for one in modules:
            if one["group"] not in groups:
                left_out[one["group"]] = left_out.get(one["group"], 0) + 1
    listed = [{key: one[key] for key in ("module", "distribution", "path", "group")} for one in swept]
    channel.send("total", modules=listed, left_out=left_out)
    if options.pop("announce", False):
        options["begin"] = lambda name: channel.send("begun", module=name)
    summary = sweep(swept, options, lambda facts: channel.send("module", facts=with_source(facts, locations)))
    channel.send("summary", facts=summary)


def with_source(facts: Facts, locations: Locations) -> Facts:
    """What its file tells beside the verdict."""
    by_hand = facts["status"] == "exit"
    script = _may_be_script(facts) and reads_arguments(read_source(facts["path"]) or b"", by_hand=by_hand)
    return dict(facts, located=locations.of(facts), reads_arguments=script)


def _may_be_script(facts: Facts) -> bool:
    """It ended or hung, or its own body raised what is no failed import. A package is none: others hang on it."""
    path = facts["path"]
    if not path.endswith(".py") or path.endswith("/__init__.py") or facts["inherited_from"]:
        return False
    error = facts["error"]
    raised = facts["status"] == "exception" and error and error["type"] not in _FAILED_IMPORTS
    return facts["status"] in ("exit", "timeout") or bool(raised)

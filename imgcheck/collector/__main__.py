"""Reads one request from standard input, does its job, and answers in JSON lines on standard output.

It expects: a line of JSON {"secret": ..., "job": one of _JOBS, "python": ..., ...}.
The options of "imports" are those of `sweep`, and which modules: {"groups", "exclude"}, or the names in "only".
Results: lines {"secret", "number", "kind", ...}, the last of kind "end". Trouble that a user's image can
cause is a line of kind "trouble", not a crash. Exit status 0 where an answer was given.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import sys
from fnmatch import fnmatchcase
from typing import Any, Callable, Dict, Iterable

from imgcheck.collector.access import closed_entries, unreadable
from imgcheck.collector.channel import Channel
from imgcheck.collector.distributions import find_distributions
from imgcheck.collector.files import look_at_files
from imgcheck.collector.interpreter import interpreter_facts
from imgcheck.collector.kernels import compile_kernels, lazy_kernels
from imgcheck.collector.locations import Locations
from imgcheck.collector.modules import enumerate_modules
from imgcheck.collector.native import native_facts
from imgcheck.collector.os_packages import os_packages
from imgcheck.collector.probe import run_probe
from imgcheck.collector.script_runs import run_scripts
from imgcheck.collector.scripts import find_on_path
from imgcheck.collector.statements import unprovided_imports
from imgcheck.collector.surroundings import surroundings
from imgcheck.collector.sweep import sweep
from imgcheck.collector.sweep_bytecode import brings_bytecode
from imgcheck.collector.together import import_together
from imgcheck.collector.toolchain import toolchain

_NOT_SENT = ("files",)
_NEVER_LOADED = ("second-file", "other-abi")
Facts = Dict[str, Any]


def main() -> None:
    request = json.loads(sys.stdin.readline())
    channel = Channel(request["secret"])
    _close_to_others()
    try:
        _JOBS[request["job"]](request, channel)
    except RuntimeError as error:
        channel.send("trouble", message=str(error))
    channel.end()


def _close_to_others() -> None:
    """Other processes of the same user may not look into this one (prctl(2), PR_SET_DUMPABLE)."""
    try:
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    except (OSError, AttributeError):
        pass


def _look(python: str) -> tuple[Facts, list[Facts], list[Facts]]:
    """The interpreter, its distributions, and every module of them."""
    interpreter = interpreter_facts(python)
    distributions = find_distributions(interpreter["path"])
    modules = enumerate_modules(distributions, interpreter["path"], interpreter["extension_suffixes"])
    return interpreter, distributions, modules


def _inventory(request: Facts, channel: Channel) -> None:
    interpreter, distributions, modules = _look(request["python"])
    channel.send("interpreter", facts=dict(interpreter, closed=closed_entries(interpreter["path"])))
    owned: dict[str, list[tuple[str, str, str]]] = {}
    for one in modules:
        for name in [one["distribution"], *one.get("also", ())]:
            owned.setdefault(name, []).append((one["module"], one["kind"], one["group"]))
    for one in distributions:
        channel.send("distribution", facts=_facts(one, owned.get(one["name"], [])))
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    channel.send("cpu", seconds=round(sum(one.ru_utime + one.ru_stime for one in usage), 3))


def _facts(distribution: Facts, modules: list[tuple[str, str, str]]) -> Facts:
    facts = {key: value for key, value in distribution.items() if key not in _NOT_SENT}
    files = distribution["files"]
    facts["has_record"] = files is not None
    facts["files"] = len(files or ())
    facts["modules"] = modules
    own = os.path.basename(distribution["metadata_path"]) + "/"
    facts.update(unreadable(distribution))
    facts["data_only"] = not modules and any(not name.startswith((own, "../")) for name in files or ())
    facts["outside"] = None if files is None else _outside(files, distribution["entry_points"])
    return facts


def _outside(files: Iterable[str], entry_points: Iterable[Facts]) -> int:
    """Files beyond the distribution's location, the scripts left out that installers make for its entry points."""
    scripts = {one["name"] for one in entry_points}
    return sum(name.startswith("../") and os.path.basename(name) not in scripts for name in files)


def _imports(request: Facts, channel: Channel) -> None:
    options = dict(request["options"], python=request["python"], scratch=request["scratch"])
    interpreter, distributions, modules = _look(request["python"])
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
        swept = [one for one in modules if one["group"] in groups and not _matches(one["module"], excluded)]
        for one in modules:
            if one["group"] not in groups:
                left_out[one["group"]] = left_out.get(one["group"], 0) + 1
    channel.send("total", count=len(swept), left_out=left_out)
    summary = sweep(
        swept, options, lambda facts: channel.send("module", facts=dict(facts, located=locations.of(facts)))
    )
    channel.send("summary", facts=summary)


def _matches(module: str, patterns: Iterable[str]) -> bool:
    """Whether a pattern names the module or a package above it."""
    return any(fnmatchcase(module, one) or module.startswith(one.rstrip(".*") + ".") for one in patterns)


def _probe(request: Facts, channel: Channel) -> None:
    channel.send("probe", facts=run_probe(request["probe"], request["python"], request["scratch"]))


def _statements(request: Facts, channel: Channel) -> None:
    interpreter, _, modules = _look(request["python"])
    summary = unprovided_imports(
        modules, interpreter["path"], interpreter["stdlib"], lambda facts: channel.send("statement", facts=facts)
    )
    channel.send("summary", facts=summary)


def _together(request: Facts, channel: Channel) -> None:
    names, seconds = request["names"], request["timeout"]
    for order in (names, names[::-1]):
        channel.send("together", facts=import_together(request["python"], order, seconds))


def _files(request: Facts, channel: Channel) -> None:
    interpreter = interpreter_facts(request["python"])
    distributions = find_distributions(interpreter["path"])
    summary = look_at_files(
        interpreter, distributions, lambda kind, facts: channel.send(kind, facts=facts), deep=request["deep"]
    )
    channel.send("summary", facts=summary)


def _native(request: Facts, channel: Channel) -> None:
    interpreter, distributions, modules = _look(request["python"])
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


def _surroundings(request: Facts, channel: Channel) -> None:
    interpreter = interpreter_facts(request["python"])
    distributions = find_distributions(interpreter["path"])
    channel.send("surroundings", facts=surroundings(interpreter, distributions, request))


def _scripts(request: Facts, channel: Channel) -> None:
    interpreter = interpreter_facts(request["python"])
    names = {
        entry["name"]
        for one in find_distributions(interpreter["path"])
        for entry in one["entry_points"]
        if entry["group"] == "console_scripts" and not _matches(entry["name"], request["exclude"])
    }
    found = ((name, find_on_path(name)) for name in sorted(names))
    run_scripts([pair for pair in found if pair[1]], request, lambda facts: channel.send("script", facts=facts))


def _os_packages(_request: Facts, channel: Channel) -> None:
    channel.send("packages", facts=os_packages())


def _toolchain(request: Facts, channel: Channel) -> None:
    os.makedirs(request["scratch"], exist_ok=True)
    channel.send("toolchain", facts=toolchain(request["scratch"]))


def _kernels(request: Facts, channel: Channel) -> None:
    compile_kernels(request, request["python"], lambda facts: channel.send("compiled", facts=facts))
    for facts in lazy_kernels(_look(request["python"])[2]):
        channel.send("lazy", facts=facts)


_JOBS: dict[str, Callable[[Facts, Channel], None]] = {
    "files": _files,
    "inventory": _inventory,
    "imports": _imports,
    "kernels": _kernels,
    "native": _native,
    "os-packages": _os_packages,
    "probe": _probe,
    "statements": _statements,
    "scripts": _scripts,
    "surroundings": _surroundings,
    "together": _together,
    "toolchain": _toolchain,
}

if __name__ == "__main__":
    main()

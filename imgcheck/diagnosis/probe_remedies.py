"""The way out of a failed probe: what its output, its logs and its end say of why, from the surest sign on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from packaging.version import InvalidVersion, Version

from imgcheck.contract.model import Contract, specifier_set
from imgcheck.contract.probes import Probe
from imgcheck.diagnosis.ownership import PYTHON, owners_of
from imgcheck.diagnosis.tracebacks import lacking, raiser_of
from imgcheck.facts.model import Facts
from imgcheck.facts.probes import ProbeFacts

_FRAME: Final = re.compile(r'^\s*File "([^"]+)", line \d+', re.MULTILINE)
_MODULE: Final = re.compile(r"(?:cannot import name '[^']+' from|No module named|module) '([\w.]+)'")
_NO_NETWORK: Final = re.compile(
    r"Temporary failure in name resolution|Name or service not known|Network is unreachable|getaddrinfo failed"
    r"|Failed to resolve '[^']*'|Could not resolve host|NameResolutionError|no such host"
)
_HOST: Final = re.compile(r"(?:Failed to resolve|resolve host:?|host=)\s*'?([\w-]+(?:\.[\w-]+)+)")
_SHM_FULL: Final = re.compile(
    r"\bBus error\b|out of shared memory|insufficient shared memory|unable to allocate shared memory"
    r"|No space left on device.*/dev/shm"
)
_NO_NAME: Final = re.compile(r"getpwuid\(\): uid not found: (\d+)")
_ASKED_FOR: Final = re.compile(
    r"\bpip3? install (?:-U |--upgrade )?[`'\"]*([A-Za-z0-9][\w.-]*(?:\[[\w.,-]+\])?)(?=[`'\"\s),.;]|$)"
)
_NEXT: Final = {
    "start": "Its output below says why: the first error in it counts.",
    "answer": "Its output below says why: the first error in it counts.",
    "alive": "It dies of what it does after it has started: look at the last lines of its output and logs.",
    "then": "The server runs and does not do its work: look at its own logs first, then at the command's output.",
    "stop": "Look at what the command that stops it says, and at what the server waits for.",
}


def remedy_of(told: ProbeFacts, probe: Probe, contract: Contract, facts: Facts) -> str:
    said = list(_signs(told, probe, contract, facts)) or [_NEXT.get(told.reached, "")]
    again = f"Try it again alone: imgcheck probe {told.name} IMAGE -c {contract.path or 'CONTRACT'}"
    return " ".join([*said, f"{again}."])


def suspects(told: ProbeFacts, contract: Contract, facts: Facts) -> tuple[str, ...]:
    """Distributions that tracebacks run through or name, and that are not where the contract pins them."""
    text = _all_text(told)
    owners = owners_of(facts)
    modules = (owners.of_module(name) for name in _MODULE.findall(text))
    files = (owners.of_file(file) for file in _FRAME.findall(text))
    named = dict.fromkeys(one for one in (*modules, *files) if one not in ("", PYTHON))
    return tuple(name for name in named if _has_moved(name, contract, facts))


def _signs(told: ProbeFacts, probe: Probe, contract: Contract, facts: Facts) -> Iterator[str]:
    text = _all_text(told)
    if told.memory_kills:
        yield (
            f"The kernel ended {told.memory_kills} of its processes because the container's memory was full: "
            "raise runtime.memory, or let it take less."
        )
    if "could not be started" in told.detail:
        yield "What is not there was not installed, or is not on the PATH of the image."
    if _SHM_FULL.search(text):
        yield "Memory that processes share was full: raise runtime.shm, as the cluster does, or hand over less at once."
    nobody = _NO_NAME.search(text)
    if nobody:
        yield f"uid {nobody[1]} has no entry in the image's passwd: set USER and LOGNAME under runtime.env."
    if probe.start and told.reached == "answer" and told.exit_code == 0 and told.leftovers:
        yield f"It went into the background ({told.leftovers[0]}): start it in the foreground."
    for name in suspects(told, contract, facts):
        yield _to_the_pin(name, contract, facts)
    yield from _wanted(text, facts)
    if _NO_NETWORK.search(text):
        host = _HOST.search(text)
        what = f"{host[1]} on the network" if host else "the network"
        yield f"It looked for {what}, and there is none: put what it fetches into the image."


def _wanted(text: str, facts: Facts) -> Iterator[str]:
    """What it asks for by name, what it looked for, or who raised the last error."""
    asked_for = _ASKED_FOR.search(text)
    if asked_for:
        yield f"Install {asked_for[1]}: so says its output."
    elif lacking(text):
        yield f"Install {lacking(text)}, which it looked for and did not find."
    elif raiser_of(text, facts):
        yield f"{raiser_of(text, facts)} raised the last error below."


def _to_the_pin(name: str, contract: Contract, facts: Facts) -> str:
    there = facts.inventory.find(name)
    what = f"{there.name} is at {there.version}" if there else f"{name} is not installed"
    return f"{what}, and the contract pins {contract.pins[name]}: put it back, and this error goes with it."


def _has_moved(name: str, contract: Contract, facts: Facts) -> bool:
    pin, there = contract.pins.get(name), facts.inventory.find(name)
    if pin is None or there is None:
        return pin is not None
    try:
        return Version(there.version) not in specifier_set(pin)
    except InvalidVersion:
        return False


def _all_text(told: ProbeFacts) -> str:
    return "\n".join((told.output, told.server_output, *told.logs.values()))

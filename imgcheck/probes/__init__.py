"""The built-in probes: one data file each, in the contract's own words."""

from __future__ import annotations

import difflib
from functools import cache
from importlib.resources import files
from typing import Any

from ruamel.yaml import YAML

from imgcheck.contract.model import Contract, Probe
from imgcheck.errors import ContractError


def builtin_names() -> tuple[str, ...]:
    """The names a contract may list under `probes`."""
    data = files("imgcheck.probes")
    return tuple(sorted(one.name.removesuffix(".yaml") for one in data.iterdir() if one.name.endswith(".yaml")))


@cache
def builtin(name: str) -> Probe:
    """A built-in probe's definition. Raises KeyError for an unknown name."""
    if name not in builtin_names():
        raise KeyError(name)
    text = files("imgcheck.probes").joinpath(f"{name}.yaml").read_text("utf-8")
    raw: Any = YAML(typ="safe").load(text)
    return Probe.model_validate(raw)


def resolve(contract: Contract) -> tuple[Probe, ...]:
    """The contract's probes, built-in names replaced by their definitions.

    Raises:
        ContractError: a name is unknown, or used twice.
    """
    found: dict[str, Probe] = {}
    for number, one in enumerate(contract.probes):
        probe = one if isinstance(one, Probe) else _named(one, contract, number)
        if probe.name in found:
            raise ContractError(f"{contract.where('probes', str(number))}: probes: {probe.name!r} is listed twice")
        found[probe.name] = probe
    return tuple(found.values())


def _named(name: str, contract: Contract, number: int) -> Probe:
    try:
        return builtin(name)
    except KeyError:
        near = difflib.get_close_matches(name, builtin_names(), 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(builtin_names())}"
        raise ContractError(
            f"{contract.where('probes', str(number))}: probes: there is no built-in probe {name!r}; {hint}",
            remedy="write a probe of your own with name and run, or name and start",
        ) from None

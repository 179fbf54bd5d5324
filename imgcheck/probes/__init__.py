"""The built-in probes: one data file each, in the contract's own words; and the contract's probes, made whole."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from ruamel.yaml import YAML

from imgcheck.contract.model import Contract
from imgcheck.contract.near_miss import did_you_mean
from imgcheck.contract.probes import Probe
from imgcheck.errors import ContractError

_COMMANDS = ("run", "start", "then", "stop")
_OWN = {"use", "options", "env"}
"""What a probe that uses another does not simply put in the other's place."""


def builtin_names() -> tuple[str, ...]:
    """The names a contract may list under `probes`."""
    data = files("imgcheck.probes")
    return tuple(sorted(one.name.removesuffix(".yaml") for one in data.iterdir() if one.name.endswith(".yaml")))


@cache
def builtin(name: str) -> Probe:
    """A built-in probe's definition; `options` holds what it can be told, and the defaults.

    Raises:
        KeyError: there is none of this name.
    """
    if name not in builtin_names():
        raise KeyError(name)
    text = files("imgcheck.probes").joinpath(f"{name}.yaml").read_text("utf-8")
    raw: Any = YAML(typ="safe").load(text)
    return Probe.model_validate(raw)


def resolve(contract: Contract) -> tuple[Probe, ...]:
    """The contract's probes, built-in names replaced by their definitions.

    Raises:
        ContractError: a name is unknown, or used twice; or probes need each other in a circle.
    """
    found: dict[str, Probe] = {}
    for number, one in enumerate(contract.probes):
        where = f"{contract.where('probes', str(number))}: probes"
        probe = whole(Probe(name=one, use=one) if isinstance(one, str) else one, where)
        if probe.name in found:
            raise ContractError(f"{where}: {probe.name!r} is listed twice")
        found[probe.name] = probe
    for number, probe in enumerate(found.values()):
        _verify_needs(probe, found, f"{contract.where('probes', str(number), 'needs')}: probes")
    return tuple(found.values())


def whole(probe: Probe, where: str) -> Probe:
    """A probe with all that it takes from the built-in one that it uses, and its options filled in.

    Raises:
        ContractError: there is no such built-in probe, or it has no such option.
    """
    if probe.use is None:
        if probe.options:
            raise ContractError(f"{where}: {probe.name!r} has 'options', which are for a built-in probe ('use')")
        return probe
    model = _known(probe.use, where)
    unknown = next((one for one in probe.options if one not in model.options), None)
    if unknown is not None:
        known = f"; it has {', '.join(model.options)}" if model.options else "; it has none"
        hint = did_you_mean(unknown, model.options) or known
        raise ContractError(f"{where}: {probe.use} has no option {unknown!r}{hint}")
    if (probe.run and not model.run) or (probe.start and not model.start):
        kind, other = ("start", "run") if model.start else ("run", "start")
        raise ContractError(f"{where}: {probe.use} has {kind!r}, which goes without {other!r}")
    options = {**model.options, **probe.options}
    own = {key: getattr(probe, key) for key in probe.model_fields_set - _OWN}
    env = {**model.env, **probe.env}
    return _filled(model.model_copy(update={**own, "env": env}), options)


def _filled(probe: Probe, options: Mapping[str, str]) -> Probe:
    """With {option} replaced in commands and variables."""

    def fill(text: str) -> str:
        for name, value in options.items():
            text = text.replace("{" + name + "}", value)
        return text

    commands = {key: tuple(map(fill, words)) for key in _COMMANDS if (words := getattr(probe, key))}
    env = {name: fill(value) for name, value in probe.env.items()}
    return probe.model_copy(update={**commands, "env": env, "options": {}})


def _known(name: str, where: str) -> Probe:
    try:
        return builtin(name)
    except KeyError:
        hint = did_you_mean(name, builtin_names()) or f"; there are {', '.join(builtin_names())}"
        raise ContractError(
            f"{where}: there is no built-in probe {name!r}{hint}",
            remedy="write a probe of your own with name and run, or name and start; see 'imgcheck probes'",
        ) from None


def _verify_needs(probe: Probe, known: Mapping[str, Probe], where: str) -> None:
    for name in probe.needs:
        if name not in known:
            hint = did_you_mean(name, known) or f"; there are {', '.join(known)}"
            raise ContractError(f"{where}: {probe.name!r} needs {name!r}, which is no probe of this contract{hint}")
    circle = _circle(probe, known, (probe.name,))
    if circle:
        raise ContractError(f"{where}: probes need each other in a circle: {' -> '.join(circle)}")


def _circle(probe: Probe, known: Mapping[str, Probe], way: tuple[str, ...]) -> tuple[str, ...]:
    for name in probe.needs:
        if name in way:
            return (*way[way.index(name) :], name)
        found = _circle(known[name], known, (*way, name)) if name in known else ()
        if found:
            return found
    return ()

"""IC801: the image's configuration is not as the contract says: user, variables, labels, command, ports, volumes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.image import NONROOT, ImagePromises, Value
from imgcheck.contract.model import Contract
from imgcheck.facts.model import Facts, ImageFacts
from imgcheck.outcome import Fault, Judgement

_ROOT = frozenset({"", "0", "root"})
_Promise = tuple[tuple[str, ...], str, str, str]
"""Keys in the contract, the setting, what it must be, what it is where that is wrong (else empty)."""


def judge(contract: Contract, facts: Facts) -> Judgement:
    promises = list(_promises(contract.image, facts.image))
    return Judgement(
        examined=len(promises),
        unit="settings",
        faults=tuple(
            Fault(
                subject=".".join(keys),
                summary=f"{setting} of the image is {wrong}, and the contract says {expected}",
                expected=expected,
                actual=wrong,
                remedy=f"Set {setting} in the final stage of the Dockerfile, or change the contract.",
                location=contract.where("image", *keys),
            )
            for keys, setting, expected, wrong in promises
            if wrong
        ),
    )


def asks(image: ImagePromises) -> bool:
    """Whether anything of the configuration is promised."""
    texts = (image.user, image.workdir, image.entrypoint, image.cmd)
    several = (image.env, image.labels, image.ports, image.no_ports, image.volumes, image.no_volumes)
    return any(one is not None for one in texts) or any(several)


def _promises(wanted: ImagePromises, image: ImageFacts) -> Iterator[_Promise]:
    if wanted.user is not None:
        yield ("user",), "USER", wanted.user, _user(wanted.user, image.user)
    if wanted.workdir is not None:
        yield ("workdir",), "WORKDIR", wanted.workdir, _differs(wanted.workdir, image.workdir or "/")
    if wanted.entrypoint is not None:
        yield (
            ("entrypoint",),
            "ENTRYPOINT",
            str(list(wanted.entrypoint)),
            _list_differs(wanted.entrypoint, image.entrypoint),
        )
    if wanted.cmd is not None:
        yield ("cmd",), "CMD", str(list(wanted.cmd)), _list_differs(wanted.cmd, image.command)
    variables = {name: value for name, _, value in (one.partition("=") for one in image.env)}
    yield from _values("env", "ENV", wanted.env, variables)
    yield from _values("labels", "LABEL", wanted.labels, image.labels)
    ports = {one if "/" in one else f"{one}/tcp" for one in image.ports}
    for key, asked, exposed in (("ports", wanted.ports, True), ("no_ports", wanted.no_ports, False)):
        for number, port in enumerate(asked):
            there = (port if "/" in port else f"{port}/tcp") in ports
            yield (key, str(number)), f"EXPOSE {port}", _there(exposed), "" if there is exposed else _there(there)
    for key, named, declared in (("volumes", wanted.volumes, True), ("no_volumes", wanted.no_volumes, False)):
        for number, volume in enumerate(named):
            there = volume in image.volumes
            yield (key, str(number)), f"VOLUME {volume}", _there(declared), "" if there is declared else _there(there)


def _values(key: str, setting: str, wanted: Mapping[str, str | Value], found: Mapping[str, str]) -> Iterator[_Promise]:
    for name, value in wanted.items():
        yield (key, name), f"{setting} {name}", _expected(value), _wrong(value, found.get(name))


def _expected(value: str | Value) -> str:
    if isinstance(value, str):
        return repr(value)
    return "unset" if value.unset else f"what matches {value.matches!r}"


def _wrong(value: str | Value, found: str | None) -> str:
    if isinstance(value, Value) and value.unset:
        return "" if found is None else repr(found)
    if found is None:
        return "unset"
    fits = value == found if isinstance(value, str) else re.search(value.matches or "", found)
    return "" if fits else repr(found)


def _user(wanted: str, found: str) -> str:
    name = found.partition(":")[0]
    fits = name not in _ROOT if wanted == NONROOT else found == wanted or (wanted in _ROOT and name in _ROOT)
    return "" if fits else found or "root"


def _differs(wanted: str, found: str) -> str:
    return "" if wanted.rstrip("/") == found.rstrip("/") else found


def _list_differs(wanted: tuple[str, ...], found: tuple[str, ...]) -> str:
    return "" if wanted == found else str(list(found))


def _there(is_there: bool) -> str:
    return "there" if is_there else "absent"


CHECK = Check(
    code="IC801",
    name="image-config",
    summary="The image's configuration is not as the contract says",
    needs=Needs.IMAGE,
    applies=lambda contract: asks(contract.image),
    judge=judge,
    inheritable=False,
)

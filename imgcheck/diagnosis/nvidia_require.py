"""NVIDIA_REQUIRE_* of an image, judged for a fleet as nvidia-container-cli does.

https://github.com/NVIDIA/libnvidia-container, src/cli/, and the NVIDIA container toolkit's user guide: all variables
must hold; in one, spaces are "or", commas "and"; operators = != < <= > >=; names cuda, driver, arch, brand.
A runtime in CDI mode does not look at them at all, so that the image may start where it cannot run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from imgcheck.diagnosis.gpu_code import numbers

_PART: Final = re.compile(r"(cuda|driver|arch|brand)(=|!=|<=|>=|<|>)([\w.+-]+)")
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """What requirements speak of; None and empty are what the contract does not say."""

    cuda: str | None
    driver: str | None
    capabilities: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """One variable, and whether the fleet meets it: None where the contract does not say enough."""

    name: str
    value: str
    met: bool | None
    problem: str = ""


def requirements(environment: Iterable[str], fleet: Fleet) -> tuple[Requirement, ...]:
    """Of an image's environment ("NAME=value"); none where NVIDIA_DISABLE_REQUIRE is set."""
    variables = dict(one.split("=", 1) for one in environment if "=" in one)
    if variables.get("NVIDIA_DISABLE_REQUIRE") in _TRUE:
        return ()
    return tuple(_judged(name, value, fleet) for name, value in _asked(variables))


def _asked(variables: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """An image with CUDA_VERSION and no NVIDIA_REQUIRE_CUDA is of the old kind: it needs that CUDA."""
    if variables.get("CUDA_VERSION") and "NVIDIA_REQUIRE_CUDA" not in variables:
        cuda = ".".join(variables["CUDA_VERSION"].split(".")[:2])
        yield "CUDA_VERSION", f"cuda>={cuda}"
    yield from ((name, value) for name, value in sorted(variables.items()) if name.startswith("NVIDIA_REQUIRE_"))


def _judged(name: str, value: str, fleet: Fleet) -> Requirement:
    alternatives = [one.split(",") for one in value.split()]
    wrong = next((part for one in alternatives for part in one if not _PART.fullmatch(part)), None)
    if wrong is not None:
        return Requirement(name=name, value=value, met=False, problem=f"{wrong!r} is no requirement")
    met = _any([_all([_part(part, fleet) for part in one]) for one in alternatives]) if alternatives else True
    return Requirement(name=name, value=value, met=met)


def _part(text: str, fleet: Fleet) -> bool | None:
    found = _PART.fullmatch(text)
    if not found:
        return False
    name, operator, wanted = found[1], found[2], found[3]
    if name == "brand":
        return None
    if name == "arch":
        return _all([_compared(one, operator, wanted) for one in fleet.capabilities]) if fleet.capabilities else None
    there = fleet.cuda if name == "cuda" else fleet.driver
    return None if there is None else _compared(there, operator, wanted)


def _compared(there: str, operator: str, wanted: str) -> bool:
    left, right = _padded(there), _padded(wanted)
    return {
        "=": left == right,
        "!=": left != right,
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
    }[operator]


def _padded(version: str) -> tuple[int, ...]:
    return (*numbers(version), 0, 0, 0, 0)[:4]


def _all(parts: Sequence[bool | None]) -> bool | None:
    return False if False in parts else None if None in parts else True


def _any(parts: Sequence[bool | None]) -> bool | None:
    return True if True in parts else None if None in parts else False

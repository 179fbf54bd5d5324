"""Whether a wheel's tags fit an image's interpreter (PEP 425, PEP 600, PEP 656)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from packaging.tags import Tag, compatible_tags, cpython_tags, generic_tags, parse_tag

from imgcheck.facts.model import InterpreterFacts

_MACHINES: Final = {"amd64": "x86_64", "arm64": "aarch64", "i386": "i686"}
_ANY: Final = "any"
_LINUX: Final = re.compile(r"(?:linux|manylinux1|manylinux2010|manylinux2014|(many|musl)linux_\d+_\d+)_(\w+)")


def unfit_tags(tags: Iterable[str], interpreter: InterpreterFacts) -> tuple[str, ...]:
    """All of the tags, where none of them fits; nothing where one does, where there are none, or none can be read."""
    expanded = [tag for text in tags for tag in _parsed(text)]
    supported = _supported(interpreter)
    if not expanded or any(
        (one.interpreter, one.abi) in supported and _runs_here(one, interpreter) for one in expanded
    ):
        return ()
    return tuple(map(str, expanded))


def _parsed(text: str) -> frozenset[Tag]:
    return parse_tag(text) if text.count("-") == 2 else frozenset()


def _supported(interpreter: InterpreterFacts) -> frozenset[tuple[str, str]]:
    """Pairs of interpreter and ABI that this Python loads, on its platform or on any."""
    major, minor = (int(part) for part in interpreter.markers["python_version"].split(".")[:2])
    version, short = (major, minor), f"{major}{minor}"
    if interpreter.implementation == "cpython":
        threaded = "t" if any(f"cpython-{short}t-" in one for one in interpreter.extension_suffixes) else ""
        own = cpython_tags(version, abis=[f"cp{short}{threaded}"], platforms=[_ANY])
        name = f"cp{short}"
    else:
        name = f"{interpreter.implementation[:2]}{short}"
        own = generic_tags(interpreter=name, abis=_generic_abis(interpreter), platforms=[_ANY])
    return frozenset((tag.interpreter, tag.abi) for tag in (*own, *compatible_tags(version, name, [_ANY])))


def _generic_abis(interpreter: InterpreterFacts) -> list[str]:
    """As packaging derives it from the extension's suffix: ".pypy310-pp73-x86_64-linux-gnu.so" is pypy310_pp73."""
    parts = interpreter.extension_suffixes[0].strip(".").split("-") if interpreter.extension_suffixes else []
    return ["_".join(parts[:2]).replace(".", "_")] if len(parts) > 1 else []


def _runs_here(tag: Tag, interpreter: InterpreterFacts) -> bool:
    if tag.platform == _ANY:
        return True
    found = _LINUX.fullmatch(tag.platform)
    if not found:
        return False
    library, machine = found.groups()
    here = interpreter.markers["platform_machine"].lower()
    if _MACHINES.get(machine, machine) != _MACHINES.get(here, here):
        return False
    musl = any("-musl" in one for one in interpreter.extension_suffixes)
    return library is None or (library == "musl") == musl or tag.platform.startswith("linux_")

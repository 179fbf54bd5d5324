"""Which build step installed or removed a distribution: by times first, as that costs nothing, else by the layers.

An installer writes INSTALLER and RECORD as it installs, and the history tells when each step ended: the first step that
ended no earlier than the file was written made it. What leaves that open is told, and the layers' file lists decide.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from imgcheck.facts.layers import Layer, LayerFacts, Written
from imgcheck.facts.model import Distribution, ImageFacts, Step

WRITES_TIMES: Final = frozenset({"pip", "uv"})
"""Installers that write INSTALLER anew in the moment of installing. Others keep the times of an archive."""
_COPIES: Final = re.compile(r"(?:/bin/sh -c #\(nop\) )?\s*(COPY|ADD)\s+(.*)", re.DOTALL)
_NO_OPERATION: Final = "/bin/sh -c #(nop)"
_FILES: Final = ("INSTALLER", "RECORD", "METADATA", "PKG-INFO", "")


@dataclass(frozen=True, kw_only=True)
class Traced:
    """A step of the history, by index from the oldest; None where it cannot be told. `how` is told either way."""

    step: int | None
    how: str


def by_time(image: ImageFacts, one: Distribution) -> Traced:
    """The step that installed a distribution, as far as times decide."""
    if one.installer not in WRITES_TIMES:
        who = one.installer or "an unnamed installer"
        return _open(f"{who} does not write the time of installation")
    if not one.installed_at:
        return _open("its metadata carries no time")
    steps = [(index, step) for index, step in enumerate(image.history) if not step.empty]
    unreal = _unreal(steps)
    if unreal:
        return _open(unreal)
    later = [(index, step) for index, step in steps if step.created >= one.installed_at]
    if not later:
        return _open("its files are newer than the last step")
    return _decided(image, one, later)


def _unreal(steps: Sequence[tuple[int, Step]]) -> str:
    times = [step.created for _, step in steps]
    if len(times) < 2:
        return "the history names fewer than two steps with content"
    if min(times) <= 0:
        return "the history has steps without a time"
    return "the history's times do not rise" if times != sorted(times) else ""


def _decided(image: ImageFacts, one: Distribution, later: Sequence[tuple[int, Step]]) -> Traced:
    index, step = later[0]
    rivals = [(number, other) for number, other in later[1:] if one.installed_at == step.created or _same(step, other)]
    if rivals:
        return _open("another step ran in the same second")
    for number, other in later:
        if _may_have_copied(image, number, other, one.metadata_path):
            return _open(f"step {number + 1} copies into that folder, and copies keep their times")
    return Traced(step=index, how="its installer wrote its files while this step ran")


def _same(one: Step, other: Step) -> bool:
    return one.created == other.created


def _open(why: str) -> Traced:
    return Traced(step=None, how=why)


def _may_have_copied(image: ImageFacts, index: int, step: Step, path: str) -> bool:
    """Whether a COPY or ADD can have put files at `path`: it goes into a folder above it."""
    match = _COPIES.match(step.command)
    if not match:
        return False
    words = match[2].split(" # buildkit")[0].split()
    if not words:
        return True
    destination = words[-1].strip("\"]'")
    whole = posixpath.normpath(posixpath.join(_workdir(image.history[:index]), destination))
    return whole in ("/", path) or path.startswith(f"{whole}/")


def _workdir(history: Sequence[Step]) -> str:
    found = "/"
    for step in history:
        command = step.command.removeprefix(_NO_OPERATION).strip()
        if command.startswith("WORKDIR "):
            found = posixpath.join(found, command.removeprefix("WORKDIR ").strip())
    return found


# By layers ------------------------------------------------------------------------------------------------------------


def by_layers(layers: LayerFacts, one: Distribution) -> Traced:
    """The step whose layer first held the metadata as it is now: one that only changes owners is passed over."""
    folder = one.metadata_path.lstrip("/")
    for name in _FILES:
        found = _origin(layers.layers, posixpath.join(folder, name).rstrip("/"))
        if found:
            return _of_layer(found, "the layers' file lists tell it")
    return _open("no layer lists its metadata")


def removal_by_layers(layers: LayerFacts, metadata_path: str) -> Traced:
    """The step whose layer took away the metadata that a lower one has."""
    folder = metadata_path.lstrip("/")
    found: Layer | None = None
    for layer in layers.layers:
        if _takes_away(layer, folder):
            found = layer
        if any(_within(one.path, folder) for one in layer.written):
            found = None
    return _of_layer(found, "its layer takes the files away") if found else _open("no layer takes its metadata away")


def _of_layer(layer: Layer, how: str) -> Traced:
    return (
        Traced(step=layer.step, how=how) if layer.step is not None else _open("the history names no step for its layer")
    )


def _origin(layers: Sequence[Layer], path: str) -> Layer | None:
    origin: Layer | None = None
    known: Written | None = None
    for layer in layers:
        if _takes_away(layer, path):
            origin, known = None, None
        for written in _of_path(layer, path):
            if known is None or (known.time, known.size) != (written.time, written.size):
                origin, known = layer, written
    return origin


def _of_path(layer: Layer, path: str) -> Iterator[Written]:
    return (one for one in layer.written if one.path == path)


def _takes_away(layer: Layer, path: str) -> bool:
    return any(_within(path, gone) for gone in layer.removed) or any(
        path.startswith(f"{folder}/") for folder in layer.emptied
    )


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")

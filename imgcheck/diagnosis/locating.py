"""Whether a module that was imported is the file that was listed, and what this user cannot read."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from packaging.utils import canonicalize_name

from imgcheck.diagnosis.sweep import Verdicts
from imgcheck.facts.model import Inventory, ModuleFacts

_ENDINGS: Final = (".py", ".so", ".pyc", ".pyd")


class Place(str, Enum):
    LISTED = "the listed file"
    NAMESPACE = "a namespace, which has no file"
    UNREADABLE = "a file that cannot be read"
    OTHER = "another file"
    OF_ITS_OWN = "put another object, or another __file__, in their place"
    UNTOLD = "have a __file__ of which cannot be told where it comes from"


@dataclass(kw_only=True)
class Closed:
    """What cannot be read of one distribution."""

    places: tuple[str, ...] = ()
    files: int = 0
    modules: list[str] = field(default_factory=list)


def place_of(module: ModuleFacts) -> Place:
    """A module may set its __file__ or replace itself: only what sys.path leads to proves that another file won."""
    located = module.located
    if located is None:
        if not module.path.endswith(_ENDINGS):
            return Place.NAMESPACE
        return Place.LISTED if module.file == module.path else Place.UNTOLD
    if not located.readable:
        return Place.UNREADABLE
    if located.same:
        return Place.LISTED
    if located.found_same:
        return Place.OF_ITS_OWN
    return Place.OTHER if located.found is not None and located.found == module.file else Place.UNTOLD


def closed_of(inventory: Inventory, verdicts: Verdicts) -> dict[str, Closed]:
    """Canonical name of a distribution -> what cannot be read of it."""
    found: defaultdict[str, Closed] = defaultdict(Closed)
    for distribution in inventory.distributions:
        if distribution.unreadable_files:
            one = found[distribution.canonical_name]
            one.places = tuple(dict.fromkeys((*one.places, *distribution.unreadable)))
            one.files += distribution.unreadable_files
    for module in verdicts.modules.values():
        if module.status == "ok" and place_of(module) is Place.UNREADABLE:
            one = found[canonicalize_name(module.distribution)]
            one.places = one.places or (module.path,)
            one.modules.append(module.module)
    return {name: found[name] for name in sorted(found)}


def other_owner(inventory: Inventory, module: ModuleFacts) -> str:
    """Another distribution that lists a module of this name; empty where there is none."""
    others = (one for one in inventory.distributions if one.name != module.distribution)
    return next((one.name for one in others if any(name == module.module for name, _, _ in one.modules)), "")

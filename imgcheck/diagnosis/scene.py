"""A failed import as it is looked at: one exception of its chain, and whose code raised it on whose behalf."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from packaging.utils import canonicalize_name

from imgcheck.diagnosis.ownership import PYTHON
from imgcheck.diagnosis.world import World
from imgcheck.facts.model import Frame, ImportFailure, ModuleFacts, Raised

_IMPORT_TYPES = frozenset({"ImportError", "ModuleNotFoundError"})
_STANDARD_FORM = re.compile(r"No module named |cannot import name |No package metadata was found")


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One exception of a failed import.

    Args:
        module: the import that failed.
        error: the exception looked at.
        frames: its traceback, innermost last, as far as it is known.
        raiser: who owns the code that raised it: a distribution, "python", or empty.
        asker: the distribution whose code led there.
        place: the asker's module.
    """

    world: World
    module: ModuleFacts
    error: Raised
    frames: tuple[Frame, ...]
    raiser: str
    asker: str
    place: str

    @property
    def own(self) -> bool:
        return self.raiser in ("", self.asker)


def exceptions_of(failure: ImportFailure) -> tuple[Raised, ...]:
    """The exception that reached the top, then the chain below it."""
    same = bool(failure.chain) and (failure.chain[0].type, failure.chain[0].message) == (failure.type, failure.message)
    return (failure, *failure.chain[1:]) if same else (failure, *failure.chain)


def is_import_error(error: Raised) -> bool:
    return error.type in _IMPORT_TYPES or not _IMPORT_TYPES.isdisjoint(error.bases)


def is_genuine(error: Raised) -> bool:
    """The import system's own words, not a package's."""
    return is_import_error(error) and bool(_STANDARD_FORM.search(error.message))


def scene_of(world: World, module: ModuleFacts, failure: ImportFailure, error: Raised) -> Scene:
    below_top = error is not failure
    frames = failure.frames if not below_top else (*failure.frames, *((error.frame,) if error.frame else ()))
    owned = [(frame, owner) for frame in frames if (owner := world.owners.of_file(frame.file))]
    raiser = owned[-1][1] if owned else ""
    asking = list(_askers(owned, raiser, imports=is_import_error(error)))
    place, asker = asking[-1] if asking else (None, canonicalize_name(module.distribution) or "")
    return Scene(
        world=world,
        module=module,
        error=error,
        frames=frames,
        raiser=raiser,
        asker=asker,
        place=(world.owners.module_of(place.file) if place else "") or module.module,
    )


def _askers(owned: list[tuple[Frame, str]], raiser: str, *, imports: bool) -> Iterator[tuple[Frame, str]]:
    """An import fails for the code that holds the import statement; anything else for the code that called."""
    distributions = [(frame, owner) for frame, owner in owned if owner != PYTHON]
    callers = [(frame, owner) for frame, owner in distributions if owner != raiser]
    yield from distributions if imports or not callers else callers

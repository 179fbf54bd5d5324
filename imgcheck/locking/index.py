"""Where an install step of a Dockerfile looks for distributions, as settings of a resolver.

What the step itself says goes before this machine's own settings; where it names an index, or none, they are left out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from imgcheck.facts.plan import IndexChoice
from imgcheck.locking.sources import Sources
from imgcheck.locking.tools import Resolver

_LISTS: Final = ("--extra-index-url", "--find-links", "--trusted-host", "--only-binary", "--no-binary")
_PLACES: Final = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX")
_NAMES_PLACES: Final = frozenset(
    {"--index-url", "--no-index", "--index", "--default-index"}
    | {"PIP_INDEX_URL", "PIP_NO_INDEX", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX", "UV_NO_INDEX"}
)


def index_for(choice: IndexChoice, sources: Sources, resolver: Resolver) -> tuple[Sources, tuple[str, ...]]:
    """Sources with the step's own settings in force, and further arguments of the resolver."""
    said = {name for name, _ in choice.options} | {name for name, _ in choice.variables}
    environment = dict(sources.environment)
    if said & _NAMES_PLACES:
        environment = {name: value for name, value in environment.items() if name not in _PLACES}
    environment |= dict(choice.variables)
    arguments: tuple[str, ...] = ()
    if resolver == "uv":
        arguments = tuple(word for name, values in choice.options for word in _words(name, values))
    else:
        environment |= _variables(choice, environment)
    return replace(sources, environment=environment), arguments


def _words(name: str, values: tuple[str, ...]) -> list[str]:
    """An option as it was given; uv pip compile knows all that uv pip install has of these."""
    return [word for value in values for word in (name, value)] if values else [name]


def _variables(choice: IndexChoice, environment: dict[str, str]) -> dict[str, str]:
    """Pip's variables for its options: those that list things add to what is set."""
    found: dict[str, str] = {}
    for name, values in choice.options:
        variable = f"PIP_{name.removeprefix('--').upper().replace('-', '_')}"
        before = environment.get(variable, "").split() if name in _LISTS else []
        found[variable] = " ".join([*before, *values]) if name in _LISTS else (values[-1] if values else "1")
    return found

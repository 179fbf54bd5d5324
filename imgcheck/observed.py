"""All that a run learned of an image, as one value: what is judged, and what `--save-facts` keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from pydantic import Field, ValidationError

from imgcheck.checks import Needs
from imgcheck.errors import UsageError
from imgcheck.facts.model import Facts, ImageFacts
from imgcheck.facts.strict import FactModel
from imgcheck.outcome import Cause, Source

FORMAT: Final = 1


class Observed(FactModel):
    """Facts of an image and of its base, why some could not be had, and who did what, as far as it was told.

    Args:
        facts: the image's own.
        baseline: the base's own; None where it was not compared.
        base: the base, where the contract names one.
        problems: by kind of facts, why they could not be collected.
        untold: by kind of facts, why they cannot be had of what was looked at.
        sources: which facts were collected, and which reused.
        notices: what else must be shown.
        tags: names that the image was to get.
        causes: of findings, by their id: what the build, or the layers, told.
    """

    format: Literal[1] = 1
    imgcheck: str = ""
    facts: Facts
    baseline: Facts | None = None
    base: ImageFacts | None = None
    problems: dict[Needs, str] = Field(default_factory=dict)
    untold: dict[Needs, str] = Field(default_factory=dict)
    sources: tuple[Source, ...] = ()
    notices: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    causes: dict[str, Cause] = Field(default_factory=dict)


def read_observed(path: Path) -> Observed:
    """What `--save-facts` wrote.

    Raises:
        UsageError: the file cannot be read, is none, or is of another version.
    """
    again = "Write it with imgcheck check IMAGE -c CONTRACT --save-facts FILE, by this version of imgcheck."
    try:
        return Observed.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", remedy=again) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        where = f"{place}: " if place else ""
        raise UsageError(f"{path}: holds no saved facts: {where}{first['msg']}", remedy=again) from None

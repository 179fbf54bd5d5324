"""What the contract wants to know of an image's paths and commands, before anything of it is looked at."""

from __future__ import annotations

from imgcheck.contract.model import Contract
from imgcheck.facts.model import ImageFacts


def asked_of(contract: Contract, image: ImageFacts) -> dict[str, list[str]]:
    """The collector's request for surroundings."""
    command = contract.runtime.command or (*image.entrypoint, *image.command)
    return {"command": list(command), "paths": [], "texts": [], "commands": []}

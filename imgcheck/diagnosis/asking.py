"""What the contract wants to know of an image's paths and commands, before anything of it is looked at."""

from __future__ import annotations

from imgcheck.contract.image import FilePromise
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.known_caches import TEMPORARY
from imgcheck.diagnosis.model_files import texts_of
from imgcheck.facts.model import ImageFacts


def working_folder(contract: Contract, image: ImageFacts) -> str:
    return contract.runtime.workdir or image.workdir or "/"


def asked_of(contract: Contract, image: ImageFacts) -> dict[str, list[str]]:
    """The collector's request for surroundings."""
    command = contract.runtime.command or (*image.entrypoint, *image.command)
    promises = [one if isinstance(one, FilePromise) else FilePromise(path=one) for one in contract.image.files]
    texts = [one.path for one in promises if one.contains or one.excludes]
    paths = [
        *(one.path for one in promises),
        *contract.image.writable,
        *contract.assets,
        *TEMPORARY,
        working_folder(contract, image),
    ]
    return {
        "command": list(command),
        "paths": sorted(set(paths)),
        "texts": sorted({*texts, *texts_of(contract)}),
        "commands": sorted(set(contract.image.commands)),
    }

"""Finding the image that a reference names: on the engine, else from its registry, else by saying what is near."""

from __future__ import annotations

import difflib

from imgcheck.contract.model import Contract
from imgcheck.engines.engine import Engine
from imgcheck.errors import ImageNotFoundError, UnsuitableImageError, UsageError
from imgcheck.facts.model import ImageFacts
from imgcheck.progress import Progress


def find_image(engine: Engine, reference: str, progress: Progress) -> ImageFacts:
    """The image, pulled where the engine has not got it.

    Raises:
        ImageNotFoundError: there is no such image; the nearest local names are told.
        RegistryOutOfReachError: its registry does not answer.
        UnsuitableImageError: it is for another operating system than the engine runs.
    """
    image = engine.inspect(reference)
    if image is None:
        with progress.step(f"Pulling {reference}"):
            _pull(engine, reference)
        image = engine.inspect(reference)
        if image is None:
            raise ImageNotFoundError(f"{reference} was pulled, and the engine does not have it")
    if image.os != "linux":
        raise UnsuitableImageError(f"{reference} is an image for {image.os}; imgcheck looks into Linux images")
    return image


def find_base(engine: Engine, contract: Contract, progress: Progress) -> ImageFacts:
    """The contract's base, by digest: names are not contents.

    Raises:
        UsageError: the contract names no base, or the name holds other content now and the old is not to be had.
    """
    base = contract.base
    if base is None:
        raise UsageError(
            f"{contract.path} names no base", remedy="write base: {image: …}, or make the contract with imgcheck freeze"
        )
    image = find_image(engine, base.image, progress)
    if base.digest is None or image.is_digest(base.digest):
        return image
    known = _by_digest(engine, base.image, base.digest, progress)
    if known is not None:
        return known
    raise UsageError(
        f"{contract.where('base', 'digest')}: base.digest: {base.image} is {_digest_of(image)} now, "
        f"and the contract was made from {base.digest}, which is not to be had",
        remedy=f"freeze the base again (imgcheck freeze {base.image} -o {contract.path}), or pull the old content",
    )


def _digest_of(image: ImageFacts) -> str:
    return image.repo_digests[0].rpartition("@")[2] if image.repo_digests else image.digest


def _by_digest(engine: Engine, reference: str, digest: str, progress: Progress) -> ImageFacts | None:
    """The content of an old digest: still on the engine, or still in the registry."""
    image = engine.inspect(digest)
    if image is not None:
        return image
    pinned = f"{repository(reference)}@{digest}"
    try:
        return find_image(engine, pinned, progress)
    except ImageNotFoundError:
        return None


def repository(reference: str) -> str:
    """A reference without tag and digest."""
    name = reference.partition("@")[0]
    head, colon, tag = name.rpartition(":")
    return head if colon and "/" not in tag else name


def _pull(engine: Engine, reference: str) -> None:
    try:
        engine.pull(reference)
    except ImageNotFoundError as error:
        near = difflib.get_close_matches(reference, engine.local_names(), 3, 0.5)
        remedy = f"the nearest names here: {', '.join(near)}" if near else "docker images lists what is here"
        raise ImageNotFoundError(error.message, remedy=remedy) from None

"""Where an image keeps the constraints that its own pip obeys. Reading them out of it is the engine's business."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from imgcheck.facts.model import ImageFacts

VARIABLE = "PIP_CONSTRAINT"
USUAL = "/etc/pip/constraint.txt"
"""Where NVIDIA's images keep theirs; looked at where the variable names none."""


def constraint_paths(image: ImageFacts) -> tuple[str, ...]:
    """Absolute paths inside the image; the file need not be there where the variable is not set."""
    named = tuple(_named(image))
    if not named:
        return (USUAL,)
    paths = (_path(one, image.workdir or "/") for one in named)
    return tuple(dict.fromkeys(path for path in paths if path))


def unread_constraints(image: ImageFacts) -> tuple[str, ...]:
    """Sentences about what the variable names and no file of the image is."""
    return tuple(
        f"{VARIABLE} of {image.reference} names {one}, which is not read: it is no file of the image"
        for one in _named(image)
        if _path(one, "/") is None
    )


def _named(image: ImageFacts) -> Iterator[str]:
    """The last setting counts; pip splits it at white space."""
    values = [one.partition("=")[2] for one in image.env if one.startswith(f"{VARIABLE}=")]
    yield from (values[-1].split() if values else ())


def _path(text: str, workdir: str) -> str | None:
    if "://" not in text:
        return str(PurePosixPath(workdir) / text)
    address = urlsplit(text)
    local = address.scheme.lower() == "file" and address.netloc in ("", "localhost")
    return unquote(address.path) if local else None

"""What the layers of an image say of installed distributions: who wrote their metadata, who removed it."""

from __future__ import annotations

from imgcheck.facts.strict import FactModel, Name


class Written(FactModel):
    """A metadata file in a layer. `path` is relative to the root, `time` in seconds since the epoch."""

    path: Name
    time: int
    size: int


class Layer(FactModel):
    """One layer, as far as it concerns metadata.

    Args:
        step: index of the history's entry that made it; None where the image does not tell.
        written: metadata files that it holds.
        removed: paths of lower layers that it takes away (OCI whiteouts).
        emptied: folders whose content in lower layers it hides (opaque whiteouts).
    """

    step: int | None
    written: tuple[Written, ...] = ()
    removed: tuple[Name, ...] = ()
    emptied: tuple[Name, ...] = ()


class LayerFacts(FactModel):
    """The layers, the lowest first."""

    layers: tuple[Layer, ...]
    bytes_read: int = 0

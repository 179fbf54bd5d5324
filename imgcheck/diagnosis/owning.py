"""Distributions by the names that facts give them."""

from __future__ import annotations

from imgcheck.diagnosis.requirements import label
from imgcheck.facts.model import Inventory


def label_of(inventory: Inventory, name: str) -> str:
    """As "opencv-python 4.10.0.84"; the bare name of what is no installed distribution."""
    found = inventory.find(name)
    return label(found) if found else name

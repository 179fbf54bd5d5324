"""The images that the engine tests share."""

from __future__ import annotations

from tests.engine.conftest import root_image

__all__ = ["root_image"]

"""What facts are parsed with: they come out of an image, so strictly, and bounded."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Text = Annotated[str, Field(max_length=65_536)]
Name = Annotated[str, Field(max_length=4096)]


class FactModel(BaseModel):
    """Frozen; an answer with an unknown key is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

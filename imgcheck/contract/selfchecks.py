"""How self-checks are called: entry points that distributions of the image offer in the group imgcheck.selfcheck."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from imgcheck.contract.values import Model, Seconds

GROUP: Final = "imgcheck.selfcheck"


class SelfChecks(Model):
    required: bool = False
    """That no distribution offers one breaks the contract."""
    exclude: tuple[str, ...] = ()
    """Names or patterns of those that are not called: a name, or distribution:name."""
    within: Seconds = 300
    """Seconds one may take."""
    env: dict[str, str] = Field(default_factory=dict)
    """Further variables for them."""

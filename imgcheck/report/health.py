"""What `imgcheck doctor` found, a line each, and the way out below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from imgcheck.report.untrusted import neutral


class Examined(Protocol):
    """What is shown of a thing that was looked at."""

    @property
    def what(self) -> str: ...

    @property
    def told(self) -> str: ...

    @property
    def remedy(self) -> str: ...

    @property
    def mark(self) -> str: ...


def render_health(found: Sequence[Examined]) -> str:
    width = max((len(one.what) for one in found), default=0)
    lines = []
    for one in found:
        lines.append(f"{one.mark} {one.what:<{width}}  {neutral(one.told)}")
        if one.remedy:
            lines.append(f"  {'':<{width}}  → {neutral(one.remedy)}")
    return "\n".join(lines) + "\n"

"""What a reader is told to read, and what it may say of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from imgcheck.errors import ImgcheckError

ROOT: Final = Path(__file__).parents[2]


@dataclass(frozen=True)
class Target:
    """A reader.

    Args:
        run: reads the bytes.
        seeds: what it reads well.
        refusals: its ways to say that the bytes are no good.
        names: what each refusal must hold: the file.
    """

    run: Callable[[bytes], object]
    seeds: tuple[bytes, ...]
    refusals: tuple[type[Exception], ...] = (ImgcheckError,)
    names: str = ""

    def execute(self, data: bytes) -> None:
        """Raises only what is a fault."""
        try:
            self.run(data)
        except self.refusals as refusal:
            if self.names not in str(refusal):
                raise AssertionError(f"it does not name the file: {refusal}") from refusal


def text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def own(*names: str) -> tuple[bytes, ...]:
    """Files of this repository."""
    return tuple((ROOT / name).read_bytes() for name in names)


def seeds(pattern: str) -> tuple[bytes, ...]:
    """Small ones of these tests: most is found in what is read in a moment."""
    return tuple(path.read_bytes() for path in sorted((Path(__file__).parent / "seeds").glob(pattern)))

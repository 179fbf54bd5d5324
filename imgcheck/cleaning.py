"""`imgcheck clean`: what runs that are over left on the engine, among temporary files and beside kept facts.

Each run begins with the same, and says so where there was something.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from platformdirs import user_cache_path

from imgcheck.drafts import drafts_of_killed_runs, remove, size_of
from imgcheck.engines.docker import DockerEngine
from imgcheck.engines.leftovers import Belonging
from imgcheck.errors import ImgcheckError
from imgcheck.report.wording import counted, singular
from imgcheck.run_mark import PATIENCE

_WORDS: Final = {"container": "containers", "volume": "volumes", "image": "images"}


@dataclass(frozen=True, kw_only=True)
class Leftovers:
    """What was found, or what of it is gone. `problem` says why the engine's are not among it."""

    belongings: tuple[Belonging, ...] = ()
    drafts: tuple[Path, ...] = ()
    size: int = 0
    problem: ImgcheckError | None = None

    @property
    def count(self) -> int:
        return len(self.belongings) + len(self.drafts)

    @property
    def told(self) -> str:
        """As in "2 containers, 1 volume, 1 draft (120 bytes)"."""
        kinds = [one.kind for one in self.belongings]
        parts = [counted(kinds.count(kind), word) for kind, word in _WORDS.items() if kind in kinds]
        if self.drafts:
            parts.append(f"{counted(len(self.drafts), 'drafts')} ({_bytes(self.size)})")
        return ", ".join(parts) or "nothing"

    def lines(self) -> Iterator[str]:
        for one in self.belongings:
            yield f"{singular(_WORDS[one.kind]):10}  {one.name if one.kind != 'container' else one.name[:12]}"
        yield from (f"{'file':10}  {path}" for path in self.drafts)


def find(
    engine: DockerEngine, cache_folder: Path | None, folders: Sequence[Path] = (), patience: float = PATIENCE
) -> Leftovers:
    """What runs that are over left.

    Args:
        engine: where containers, volumes and image names are looked for.
        cache_folder: where facts are kept, if not where they are by default.
        folders: where drafts of reports, contracts and locks are looked for besides.
        patience: seconds after which a run of another machine counts as over.
    """
    drafts = tuple(_drafts(cache_folder, folders, patience))
    size = sum(map(size_of, drafts))
    try:
        return Leftovers(belongings=engine.left(patience), drafts=drafts, size=size)
    except ImgcheckError as error:
        return Leftovers(drafts=drafts, size=size, problem=error)


def clean(engine: DockerEngine, found: Leftovers) -> Leftovers:
    """Removes it; what of it is gone."""
    sizes = {one: size_of(one) for one in found.drafts}
    drafts = tuple(one for one in sizes if remove(one))
    size = sum(sizes[one] for one in drafts)
    gone: list[Belonging] = []
    try:
        gone.extend(one for one in found.belongings if engine.discard(one))
    except ImgcheckError as error:
        return Leftovers(belongings=tuple(gone), drafts=drafts, size=size, problem=error)
    return Leftovers(belongings=tuple(gone), drafts=drafts, size=size, problem=found.problem)


def sweep(engine: DockerEngine, cache_folder: Path | None) -> Leftovers:
    """As a run begins; what keeps it from that shows when the run itself asks the engine."""
    return clean(engine, find(engine, cache_folder))


def sweep_drafts(cache_folder: Path | None) -> Leftovers:
    """The same without an engine."""
    sizes = {one: size_of(one) for one in _drafts(cache_folder, (), PATIENCE)}
    gone = tuple(one for one in sizes if remove(one))
    return Leftovers(drafts=gone, size=sum(sizes[one] for one in gone))


def _drafts(cache_folder: Path | None, folders: Sequence[Path], patience: float) -> Iterator[Path]:
    cache = cache_folder or user_cache_path("imgcheck")
    places = (*_temporary(), cache, cache / "facts", cache / "tools", cache / "tools" / "compiled")
    for place in dict.fromkeys((*places, *folders)):
        yield from drafts_of_killed_runs(place, time.time(), patience)


def _temporary() -> tuple[Path, ...]:
    try:
        return (Path(tempfile.gettempdir()),)
    except OSError:  # none can be written to
        return ()


def _bytes(size: int) -> str:
    return f"{size:,} bytes" if size < 10_000 else f"{size / 1e6:,.1f} MB"

"""`imgcheck freeze`: base image to contract, in order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from imgcheck.constraining import base_constraints
from imgcheck.contract.change import ChangeKind
from imgcheck.contract.freeze import Frozen, write_frozen
from imgcheck.contract.freeze import freeze as frozen_contract
from imgcheck.contract.loader import load_contract
from imgcheck.contract.model import Contract
from imgcheck.errors import UsageError
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from imgcheck.images import find_image
from imgcheck.pipeline import RunOptions, connect
from imgcheck.progress import Progress

_LEFT_OUT = (ChangeKind.NOT_PINNED, ChangeKind.SHADOWED)


@dataclass(frozen=True, kw_only=True)
class FreezeRequest:
    """Which pins, which interpreter, and whether packages of the operating system are promised as well."""

    only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    interpreter: str | None = None
    os_packages: bool = False


@dataclass(frozen=True, kw_only=True)
class FreezeResult:
    """What was written, and what to tell."""

    frozen: Frozen
    path: Path
    renewed: bool
    notes: tuple[str, ...]


def freeze(reference: str, path: Path, request: FreezeRequest, options: RunOptions, progress: Progress) -> FreezeResult:
    """Writes the contract of a base, and its constraints file beside it."""
    before = load_contract(path) if path.exists() else None
    existing = _read(path)
    engine = connect(options, progress)
    image = find_image(engine, reference, progress)
    collector = Collector(
        engine=engine,
        cache=FactsCache.default(options.cache_folder, enabled=options.use_cache),
        interpreter=request.interpreter or (before.interpreter if before else None),
    )
    with progress.step(f"Reading what is installed in {reference}"):
        inventory = collector.inventory(image)
    lines, notes = base_constraints(engine, image)
    found = collector.os_packages(image) if request.os_packages else None
    if found is not None and not found.manager:
        notes = (*notes, "no OS packages are promised, for the image has no database of dpkg, apk or rpm")
    elif found is not None and found.problem:
        notes = (*notes, f"no OS packages are promised: {found.problem}")
    frozen = frozen_contract(
        image,
        inventory,
        reference=reference,
        path=str(path),
        only=request.only,
        exclude=request.exclude,
        base_constraints=lines,
        existing=existing,
        inherited=_inherited(before, path),
        os_packages=found,
    )
    write_frozen(frozen, path)
    return FreezeResult(frozen=frozen, path=path, renewed=existing is not None, notes=(*notes, *collector.notices))


def _read(path: Path) -> str | None:
    """An existing contract with its line ends as they are; the loader has already told what is wrong with it."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise UsageError(
                f"the folder of {path} does not exist", remedy=f"make it: mkdir -p {path.parent}"
            ) from None
        return None


def _inherited(contract: Contract | None, path: Path) -> Contract | None:
    """The contract that an existing one extends."""
    if contract is None or not contract.extends:
        return None
    return load_contract(path.parent / contract.extends)


def told(result: FreezeResult) -> str:
    """What was written and what changed, for people."""
    frozen, path = result.frozen, result.path
    constraints = path.with_name(frozen.constraints_name)
    verb = "renewed" if result.renewed and frozen.differs else "unchanged:" if result.renewed else "wrote"
    lines = [f"{verb} {path}, with {constraints} for pip and uv"]
    changes = frozen.changes if result.renewed else [one for one in frozen.changes if one.kind in _LEFT_OUT]
    lines += [f"  {change}" for change in changes]
    lines += [f"conflict: {sentence}" for sentence in frozen.conflicts]
    lines += [f"note: {sentence}" for sentence in result.notes]
    return "\n".join(lines)

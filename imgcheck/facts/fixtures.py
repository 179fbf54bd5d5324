"""Fixtures of the contract: folders and files of this machine that stand for what the cluster mounts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from imgcheck.contract.model import Contract
from imgcheck.errors import ContractError
from imgcheck.there import is_file, is_folder


def fixture_paths(contract: Contract) -> dict[str, str]:
    """Where each mount's fixture lies, by the mount's path.

    Raises:
        ContractError: a fixture is not there.
    """
    found = {}
    for number, mount in enumerate(contract.runtime.mounts):
        if not mount.fixture:
            continue
        path = (Path(contract.path).parent / mount.fixture).resolve()
        if not (is_file(path) or is_folder(path)):
            where = contract.where("runtime", "mounts", str(number), "fixture")
            raise ContractError(f"{where}: runtime.mounts: there is no fixture {path}")
        found[mount.path] = str(path)
    return found


def content_of(path: str) -> str:
    """Digest of a fixture's names and contents: facts are reused for the same alone."""
    digest = hashlib.sha256()
    for one in _files(Path(path)):
        digest.update(f"{one.relative_to(path)}\0{one.stat().st_size}\0".encode("utf-8", "surrogateescape"))
        with one.open("rb") as stream:
            while data := stream.read(1 << 20):
                digest.update(data)
    return digest.hexdigest()


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    else:
        yield from sorted(one for one in path.rglob("*") if one.is_file())

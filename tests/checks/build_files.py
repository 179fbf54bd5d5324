"""Facts on files in memory, in few words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from imgcheck.facts.files import (
    AlteredFile,
    ContestedFile,
    ContestedFiles,
    DanglingPath,
    FileFacts,
    ForeignFile,
    OwnerFiles,
    UnownedFiles,
)
from imgcheck.facts.model import Distribution, Facts, InterpreterFacts
from tests.checks.build_facts import SITE, facts

X86_64, AARCH64 = 62, 183


def listed(
    of: Distribution | str, *, missing: Iterable[str] = (), altered: Iterable[str] = (), **more: Any
) -> OwnerFiles:
    """What a distribution's RECORD says against the disk, or of "dpkg python3-six 1.16" the package's list."""
    gone, changed = tuple(missing), tuple(AlteredFile(path=one, by="hash", size=9, recorded=9) for one in altered)
    if isinstance(of, str):
        kind, name, version = of.split(" ")
        who = {"kind": kind, "name": name, "version": version, "location": "", "metadata_path": f"/info/{name}.list"}
    else:
        kind = "record" if of.kind == "dist-info" else "installed-files"
        who = {"kind": kind, "name": of.name, "version": of.version, "location": of.location}
        who["metadata_path"] = of.metadata_path
    counts = {
        "listed": 10,
        "hashed": 8,
        "unhashed": 0,
        "unreadable": 0,
        "shared": 0,
        "rewritten": 0,
    }
    found = {"missing": gone, "missing_count": len(gone), "altered": changed, "altered_count": len(changed)}
    return OwnerFiles.model_validate({**who, **counts, **found, **more})


def group(owners: Iterable[Distribution], different: tuple[ContestedFile, ...], same: int = 0) -> ContestedFiles:
    several = tuple(owners)
    return ContestedFiles(
        owners=tuple(one.metadata_path for one in several),
        names=tuple(one.name for one in several),
        files=len(different) + same,
        same=same,
        different=different,
        different_count=len(different),
        won=tuple(sum(file.winner == one.metadata_path for file in different) for one in several),
        untold=0,
    )


def clash(path: str, winner: Distribution | None, *, namespace: bool = False) -> ContestedFile:
    return ContestedFile(path=path, winner=winner.metadata_path if winner else "", namespace=namespace)


def dangling(kind: str, source: str, target: str, owner: Distribution | str = "", line: int = 0) -> DanglingPath:
    who = owner if isinstance(owner, str) else owner.metadata_path
    return DanglingPath.model_validate({"kind": kind, "source": source, "target": target, "line": line, "owner": who})


def unowned(name: str, *paths: str, inside: bool = False, root: str = SITE) -> UnownedFiles:
    return UnownedFiles(root=root, name=name, inside=inside, files=len(paths), paths=paths)


def foreign(path: str, owner: Distribution, *, machine: int = X86_64, other_abi: str = "") -> ForeignFile:
    return ForeignFile(path=f"{SITE}/{path}", machine=machine, other_abi=other_abi, owner=owner.metadata_path)


def file_facts(*distributions: Distribution, interpreter: InterpreterFacts | None = None, **of_files: Any) -> Facts:
    """Facts with one list for each distribution that has one, unless `owners` names them."""
    owners = tuple(listed(one) for one in distributions if one.has_record)
    told = {"owners": owners, "roots": (SITE,), "machine": X86_64, **of_files}
    found = facts(*distributions, interpreter=interpreter)
    return found.model_copy(update={"files": FileFacts(**told)})

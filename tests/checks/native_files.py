"""Native files in memory, in few words."""

from __future__ import annotations

from typing import Any

from imgcheck.facts.native import MissingLibrary, MissingVersion, NativeFacts, NativeFile, NeededLibrary
from tests.checks.build_facts import SITE


def native(path: str, *names: str, **more: Any) -> NativeFile:
    """A shared object of the distribution that its first folder is named after: native("cv2/cv2.abi3.so")."""
    place = path if path.startswith("/") else f"{SITE}/{path}"
    facts = {
        "path": place,
        "distribution": path.partition("/")[0].partition(".")[0],
        "machine": "x86_64",
        "bits": 64,
        "needed": tuple(NeededLibrary(name=one, found=f"/usr/lib/{one}", how="cache") for one in names),
    }
    return NativeFile.model_validate({**facts, **more})


def lacks(name: str, by: str, *elsewhere: str) -> MissingLibrary:
    return MissingLibrary(name=name, needed_by=by if by.startswith("/") else f"{SITE}/{by}", elsewhere=elsewhere)


def lacks_version(version: str, library: str, newest: str = "") -> MissingVersion:
    return MissingVersion(library=library, version=version, newest=newest)


def natives(*files: NativeFile, **more: Any) -> NativeFacts:
    return NativeFacts.model_validate({"files": files, "machine": "x86_64", **more})

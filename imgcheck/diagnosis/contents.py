"""What a distribution holds, by its own facts: modules, data, nothing, or less than its metadata claims."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping
from enum import Enum

from packaging.utils import canonicalize_name

from imgcheck.diagnosis.file_roles import is_documentation, is_native
from imgcheck.diagnosis.requirements import winners
from imgcheck.facts.files import FileFacts
from imgcheck.facts.model import Distribution, Inventory

_STUBS = "-stubs"


class Content(str, Enum):
    MODULES = "modules"
    DATA = "no module, but other files"
    SCRIPTS = "scripts only"
    STUBS = "type stubs only"
    DOCUMENTATION = "documentation only"
    EDITABLE = "no module at its editable source"
    CLAIMS = "none of the modules it names"
    REQUIREMENTS = "requirements only"
    NOTHING = "nothing"
    HOLLOW = "empty modules"
    UNKNOWN = "cannot be told"


def module_owners(inventory: Inventory) -> Mapping[str, str]:
    """Module -> distribution, of all that is installed, and of the standard library."""
    found = dict.fromkeys(inventory.interpreter.stdlib, "python")
    for distribution in winners(inventory):
        for name, _, _ in distribution.modules:
            found.setdefault(name, distribution.canonical_name)
    return found


def hollow_ones(files: FileFacts | None) -> frozenset[str]:
    """Metadata of distributions that hold sources, all of them empty, and no other file."""
    owners = files.owners if files else ()
    return frozenset(
        one.metadata_path
        for one in owners
        if one.kind == "record" and one.code_files and not one.code_bytes and not one.other_files
    )


def content_of(
    distribution: Distribution, owners: Mapping[str, str], hollow: Container[str] = ()
) -> tuple[Content, tuple[str, ...]]:
    """What is there, and the modules that are named and are nobody's."""
    claims = tuple(dict.fromkeys(name for name in _claims(distribution) if name not in owners))
    if distribution.modules:
        is_hollow = distribution.metadata_path in hollow and not distribution.entry_points
        return (Content.HOLLOW if is_hollow else Content.MODULES), ()
    if distribution.problem:
        return Content.UNKNOWN, ()
    if is_editable(distribution):
        return Content.EDITABLE, claims
    if claims:
        return Content.CLAIMS, claims
    return _without_modules(distribution, owners), ()


def _without_modules(distribution: Distribution, owners: Mapping[str, str]) -> Content:
    others = [path for path in distribution.others if not is_documentation(path)]
    if others:
        stubs = all(path.endswith(".pyi") and not _is_stub_package(path) for path in others)
        return Content.STUBS if stubs and not any(_top(path) in owners for path in others) else Content.DATA
    if distribution.outside:
        return Content.SCRIPTS if distribution.scripts == distribution.outside else Content.DATA
    content = _without_files(distribution, owners)
    return Content.DOCUMENTATION if content is Content.NOTHING and distribution.others else content


def _top(path: str) -> str:
    return path.partition("/")[0].removesuffix(".pyi")


def _is_stub_package(path: str) -> bool:
    """PEP 561: `name-stubs`, beside the package or without it."""
    top = _top(path)
    return top.endswith(_STUBS) and top != _STUBS


def _without_files(distribution: Distribution, owners: Mapping[str, str]) -> Content:
    if distribution.requires_dist:
        named = {canonicalize_name(module) for module in owners}
        return Content.MODULES if distribution.canonical_name in named else Content.REQUIREMENTS
    told = distribution.has_record and distribution.outside is not None
    return Content.NOTHING if told else Content.UNKNOWN


def _claims(distribution: Distribution) -> Iterator[str]:
    """top_level.txt, the modules of entry points and what scripts import. Stubs (PEP 561) are no modules.

    A folder of libraries and headers is no module, and is importable as a namespace (PEP 420).
    """
    native = {_top(path) for path in distribution.others if is_native(path)}
    yield from (name for name in distribution.top_level if not name.endswith(_STUBS) and name not in native)
    yield from distribution.unfound
    for entry in distribution.entry_points:
        yield entry.value.partition(":")[0].partition("[")[0].strip()


def is_editable(distribution: Distribution) -> bool:
    """PEP 610's dir_info, or setuptools' egg-link."""
    if distribution.kind == "egg-link":
        return True
    try:
        recorded = json.loads(distribution.direct_url)
    except ValueError:
        return False
    details = recorded.get("dir_info") if isinstance(recorded, dict) else None
    return isinstance(details, dict) and details.get("editable") is True

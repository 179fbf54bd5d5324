"""Whether what is installed is there: one look at all files of site-packages, by their owners and without them.

Nothing is imported or run. Facts only: which of the differences matter is the host's business.
Floor: Python 3.8.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Iterable, Mapping

from imgcheck.collector.files_compare import Comparison
from imgcheck.collector.files_hashing import Bounds
from imgcheck.collector.files_links import dangling
from imgcheck.collector.files_owners import Owner, distribution_owner, read_text
from imgcheck.collector.files_packages import packages_of, unlisted_packages
from imgcheck.collector.files_strays import SHOWN, elf_machine, foreign, leftovers, unowned
from imgcheck.collector.files_tree import Tree, site_folders
from imgcheck.collector.module_names import guesses

Facts = Dict[str, Any]
Send = Callable[[str, Facts], None]


def look_at_files(interpreter: Facts, distributions: list[Facts], send: Send, *, deep: bool) -> Facts:
    """Sends facts by kind, and returns the summary.

    Args:
        interpreter: as interpreter.interpreter_facts tells it.
        distributions: as distributions.find_distributions tells them, whole or not.
        send: takes a kind ("owner", "contested", "dangling", "unowned", "foreign", "beyond", "leftover") and its facts.
        deep: hash everything.
    """
    lists = [(one, distribution_owner(one)) for one in distributions]
    owners = [owner for _, owner in lists if owner]
    tree = Tree(site_folders(interpreter["path"], (one.location for one in owners if one.kind == "record")))
    packages = list(packages_of(tree.roots, interpreter["prefix"]))
    package_of = {row.path: f"{one.kind} {one.name}" for one in packages for row in one.rows}
    packaged = _packaged(distributions, package_of)
    bounds = Bounds(deep=deep)
    comparison = Comparison(tree, [*owners, *packages], bounds)
    claims = comparison.claims
    for facts in comparison.owners():
        send("owner", dict(facts, packaged=packaged.get(facts["metadata_path"], "")))
    for facts in beyond(owners, interpreter["prefix"]):
        send("beyond", facts)
    for facts in claims.contested(tree, bounds):
        send("contested", facts)
    for facts in dangling(tree, distributions):
        send("dangling", dict(facts, owner=package_of.get(facts["source"]) or claims.owner_of(facts["source"])))
    without = [one for one, owner in lists if not owner]
    for facts in unowned(tree, claims, set(_presumed(without, packaged))):
        send("unowned", facts)
    machine = elf_machine("/proc/self/exe")
    for facts in foreign(tree, interpreter["extension_suffixes"], machine):
        send("foreign", dict(facts, owner=package_of.get(facts["path"]) or claims.owner_of(facts["path"])))
    for path in leftovers(tree):
        send("leftover", {"path": path})
    return {
        "roots": tree.roots,
        "closed": tree.closed[:200],
        "machine": machine,
        "unlisted": unlisted_packages(),
        "packaged": sorted(packaged.items()),
        "without_list": [one["metadata_path"] for one in without],
    }


def beyond(owners: Iterable[Owner], prefix: str) -> Iterable[Facts]:
    """Distributions of a prefix that list files outside of it: an uninstallation would delete those."""
    inside = prefix.rstrip("/") + "/"
    for owner in owners:
        if owner.kind == "record" and owner.location.startswith(inside):
            paths = sorted(row.path for row in owner.rows if not row.path.startswith(inside))
            if paths:
                yield {"owner": owner.metadata, "files": len(paths), "paths": paths[:SHOWN]}


def _packaged(distributions: Iterable[Facts], package_of: Mapping[str, str]) -> dict[str, str]:
    """Metadata of distributions -> the package of a package manager that brought them."""
    found = {}
    for one in distributions:
        path = one["metadata_path"]
        names = (path, *(os.path.join(path, name) for name in ("METADATA", "PKG-INFO")))
        owner = next((package_of[name] for name in names if name in package_of), "")
        if owner:
            found[path] = owner
    return found


def _presumed(distributions: Iterable[Facts], packaged: Facts) -> Iterable[tuple[str, str]]:
    """Top-level names of distributions of which no list is left."""
    for one in distributions:
        if one["metadata_path"] not in packaged:
            told = read_text(os.path.join(one["metadata_path"], "top_level.txt")).split()
            for name in told or guesses(one["name"]):
                yield one["location"].rstrip("/"), name.partition("/")[0]

"""Whether what is installed is there: one look at all files of site-packages, by their owners and without them.

Nothing is imported or run. Facts only: which of the differences matter is the host's business.
Floor: Python 3.8.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Iterable

from imgcheck.collector.files_compare import Comparison
from imgcheck.collector.files_links import dangling
from imgcheck.collector.files_owners import Owner, distribution_owner
from imgcheck.collector.files_packages import packages_of, unlisted_packages
from imgcheck.collector.files_strays import SHOWN, elf_machine, foreign, leftovers, unowned
from imgcheck.collector.files_tree import Tree, site_folders
from imgcheck.collector.sweep_sources import guesses

Facts = Dict[str, Any]
Send = Callable[[str, Facts], None]


def look_at_files(interpreter: Facts, distributions: list[Facts], send: Send, *, deep: bool) -> Facts:
    """Sends facts by kind, and returns the summary.

    Args:
        interpreter: as interpreter.interpreter_facts tells it.
        distributions: as distributions.find_distributions tells them.
        send: takes a kind ("owner", "contested", "dangling", "unowned", "foreign", "beyond", "leftover") and its facts.
        deep: hash everything.
    """
    tree = Tree(site_folders(interpreter["path"], distributions))
    owners = [owner for owner in map(distribution_owner, distributions) if owner]
    packages = list(packages_of(tree.roots, interpreter["prefix"]))
    packaged = _packaged(distributions, packages)
    comparison = Comparison(tree, [*owners, *packages], deep=deep)
    for facts in comparison.owners():
        send("owner", dict(facts, packaged=packaged.get(facts["metadata_path"], "")))
    for facts in beyond(owners, interpreter["prefix"]):
        send("beyond", facts)
    for facts in comparison.contested():
        send("contested", facts)
    package_of = {row.path: f"{one.kind} {one.name}" for one in packages for row in one.rows}
    for facts in dangling(tree, distributions):
        send("dangling", dict(facts, owner=package_of.get(facts["source"]) or comparison.owner_of(facts["source"])))
    presumed = set(_presumed(distributions, packaged))
    for facts in unowned(tree, comparison.paths(), presumed):
        send("unowned", facts)
    machine = elf_machine("/proc/self/exe")
    for facts in foreign(tree, interpreter["extension_suffixes"], machine):
        send("foreign", dict(facts, owner=package_of.get(facts["path"]) or comparison.owner_of(facts["path"])))
    for path in leftovers(tree):
        send("leftover", {"path": path})
    return {
        "roots": tree.roots,
        "closed": tree.closed[:200],
        "machine": machine,
        "unlisted": unlisted_packages(),
        "packaged": sorted(packaged.items()),
        "without_list": [one["metadata_path"] for one in distributions if one["files"] is None],
    }


def beyond(owners: Iterable[Owner], prefix: str) -> Iterable[Facts]:
    """Distributions of a prefix that list files outside of it: an uninstallation would delete those."""
    inside = prefix.rstrip("/") + "/"
    for owner in owners:
        if owner.kind == "record" and owner.location.startswith(inside):
            paths = sorted(row.path for row in owner.rows if not row.path.startswith(inside))
            if paths:
                yield {"owner": owner.metadata, "files": len(paths), "paths": paths[:SHOWN]}


def _packaged(distributions: Iterable[Facts], packages: Iterable[Owner]) -> dict[str, str]:
    """Metadata of distributions -> the package of a package manager that brought them."""
    owner_of = {row.path: f"{one.kind} {one.name}" for one in packages for row in one.rows}
    found = {}
    for one in distributions:
        path = one["metadata_path"]
        names = (path, *(os.path.join(path, name) for name in ("METADATA", "PKG-INFO")))
        owner = next((owner_of[name] for name in names if name in owner_of), "")
        if owner:
            found[path] = owner
    return found


def _presumed(distributions: Iterable[Facts], packaged: Facts) -> Iterable[tuple[str, str]]:
    """Top-level names of distributions of which no list is left."""
    for one in distributions:
        if one["files"] is None and one["metadata_path"] not in packaged:
            for name in one.get("top_level") or guesses(one["name"]):
                yield one["location"].rstrip("/"), name.partition("/")[0]

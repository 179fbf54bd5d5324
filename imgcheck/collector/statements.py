"""Import statements at the top of modules that nothing installed provides, found without importing anything.

Lines that begin with an import tell the names; only files that name something unknown are parsed, to see that the
statement always runs: it is in no block, in no string, and behind nothing that ends the import first.
Results: one dictionary per distribution, name and group of modules, handed to `emit`, and a summary.
Floor: Python 3.8.
"""

from __future__ import annotations

import os
import sys
import time
import zipfile
from typing import Any, Callable, Dict, Iterable, Iterator, Sequence

from imgcheck.collector.import_statements import always_imported, imported_names
from imgcheck.collector.modules import Module
from imgcheck.collector.sources import read_source
from imgcheck.collector.sweep_sources import ENDINGS, Listing

SITES = 3  # shown of each name; no more files are parsed for it
_MOST = 5000

Facts = Dict[str, Any]


def unprovided_imports(
    modules: Sequence[Module], sys_path: Iterable[str], stdlib: Iterable[str], emit: Callable[[Facts], None]
) -> Facts:
    """Reads every source once. The order of what is told is that of the modules."""
    began = time.process_time()
    listing = Listing()
    provided = frozenset(_provided(modules, sys_path, listing)).union(stdlib, sys.builtin_module_names)
    found: dict[tuple[str, str, str], Facts] = {}
    read = unread = 0
    for module in modules:
        if not module["path"].endswith(".py"):
            continue
        source = read_source(module["path"])
        read += source is not None
        unread += source is None
        unknown = set(imported_names(source or b"")) - provided
        wanted = {one for one in unknown if _is_open(found, module, one) and not _is_beside(module, one, listing)}
        for name, line in always_imported(source, wanted) if wanted and source else ():
            _add(found, module, name, line)
    for facts in found.values():
        emit(facts)
    return {"read": read, "unread": unread, "cpu": round(time.process_time() - began, 3)}


def _provided(modules: Iterable[Module], sys_path: Iterable[str], listing: Listing) -> Iterator[str]:
    """Top-level names that an import statement can find."""
    for module in modules:
        if module["group"] != "other-abi":
            yield module["module"].partition(".")[0]
    for entry in sys_path:
        for name in listing.names(entry) or _names_in_archive(entry):
            if name.endswith(ENDINGS):
                yield name.partition(".")[0]
            elif name.isidentifier():
                yield name


def _names_in_archive(entry: str) -> frozenset[str]:
    """sys.path may name a zip file."""
    try:
        if not os.path.isfile(entry):
            return frozenset()
        with zipfile.ZipFile(entry) as archive:
            return frozenset(name.partition("/")[0] for name in archive.namelist())
    except (OSError, ValueError, zipfile.BadZipFile):
        return frozenset()


def _is_open(found: dict[tuple[str, str, str], Facts], module: Module, name: str) -> bool:
    """Whether more is to be told of a name."""
    known = found.get(_key(module, name))
    return len(found) < _MOST if known is None else len(known["sites"]) < SITES


def _is_beside(module: Module, name: str, listing: Listing) -> bool:
    """A file of that name in the same folder: for a script it is found, and Python 2 found it, too."""
    names = listing.names(os.path.dirname(module["path"]))
    return name in names or name + ".py" in names


def _add(found: dict[tuple[str, str, str], Facts], module: Module, name: str, line: int) -> None:
    facts = found.setdefault(
        _key(module, name),
        {"distribution": module["distribution"], "name": name, "group": module["group"], "sites": []},
    )
    facts["sites"].append({"module": module["module"], "file": module["path"], "line": line})


def _key(module: Module, name: str) -> tuple[str, str, str]:
    return (module["distribution"], name, module["group"])

"""Which files each distribution brings to sys.path: by its RECORD, by what an editable install maps, or by the disk."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterable, Iterator, Sequence

from imgcheck.collector.module_names import guesses, mapped

ENDINGS = (".py", ".so", ".pyc", ".pyd")
_RECORDED = (*ENDINGS, ".pth")
_LARGEST_FINDER = 1 << 21

Distribution = Dict[str, Any]  # as distributions.find_distributions tells it


class Listing:
    """Names in folders, read once."""

    def __init__(self) -> None:
        self._names: dict[str, frozenset[str]] = {}

    def names(self, folder: str) -> frozenset[str]:
        known = self._names.get(folder)
        if known is None:
            try:
                known = frozenset(os.listdir(folder))
            except OSError:
                known = frozenset()
            self._names[folder] = known
        return known


def files_of(
    distributions: Iterable[Distribution], sys_path: Iterable[str], suffixes: Sequence[str], listing: Listing
) -> Iterator[tuple[int, Distribution, str, str, str]]:
    """What may be a module, as (number of the distribution, distribution, folder, path below it, package).

    The folder is one of sys.path, and the package "", but where an editable install maps a package to a folder of
    another name: then they are that folder, and the name it is imported by.
    """
    roots = _Roots(sys_path)
    disk = _Disk(listing, (*suffixes, ".py", ".pyc"))
    claimed: set[str] = set()
    without = []
    for number, distribution in enumerate(distributions):
        if distribution.get("files") is None:
            without.append((number, distribution))
            continue
        for root, relative, package in _recorded(distribution, roots, disk):
            claimed.add(root + "/" + relative)
            yield number, distribution, root, relative, package
    for number, distribution in without:
        location = roots.of(distribution["location"])
        if location is None:
            continue
        for relative in _on_disk(distribution, location, disk):
            if location + "/" + relative not in claimed:
                yield number, distribution, location, relative, ""


class _Roots:
    """The folders of sys.path."""

    def __init__(self, sys_path: Iterable[str]) -> None:
        self._known: dict[str, str] = {}
        for entry in sys_path:
            if entry and os.path.isdir(entry):
                self._known.setdefault(os.path.realpath(entry), entry.rstrip("/"))
        self._longest_first = sorted(self._known.items(), key=lambda pair: len(pair[0]), reverse=True)

    def of(self, folder: str) -> str | None:
        return self._known.get(os.path.realpath(folder))

    def split(self, path: str) -> tuple[str, str] | None:
        """The folder of sys.path that a path is below, and the rest of the path; None where there is none."""
        for real, entry in self._longest_first:
            for start in (entry, real):
                if path.startswith(start + "/"):
                    return entry, path[len(start) + 1 :]
        return None


class _Disk:
    """What is there by a top-level name."""

    def __init__(self, listing: Listing, endings: Sequence[str]) -> None:
        self._listing = listing
        self._endings = endings

    def below(self, root: str, name: str) -> Iterator[str]:
        """Paths below `root` of the module or package `name` (dots or slashes for a part of a namespace)."""
        name = name.replace(".", "/")
        folder, _, leaf = name.rpartition("/")
        place = root + "/" + folder if folder else root
        found = [leaf + ending for ending in self._endings if leaf + ending in self._listing.names(place)]
        for file in found:
            yield folder + "/" + file if folder else file
        if leaf in self._listing.names(place):
            yield from self._walk(root, name)

    def _walk(self, root: str, name: str) -> Iterator[str]:
        for folder, folders, files in os.walk(root + "/" + name):
            folders[:] = sorted(one for one in folders if one != "__pycache__" and not one.startswith("."))
            start = folder[len(root) + 1 :]
            for file in sorted(files):
                yield start + "/" + file

    def packages(self, root: str) -> list[str]:
        names = self._listing.names
        return sorted(one for one in names(root) if "__init__.py" in names(root + "/" + one))


def _recorded(distribution: Distribution, roots: _Roots, disk: _Disk) -> Iterator[tuple[str, str, str]]:
    location = roots.of(distribution["location"])
    editable = _Editable(distribution, roots, disk)
    for relative in distribution["files"]:
        if not relative.endswith(_RECORDED) or "__pycache__" in relative or editable.takes(relative):
            continue
        if location is not None and not relative.startswith(("../", "/")):
            yield location, relative, ""
            continue
        found = roots.split(os.path.normpath(os.path.join(distribution["location"], relative)))
        if found is not None:
            yield (*found, "")
    yield from editable.files()


def _on_disk(distribution: Distribution, location: str, disk: _Disk) -> Iterator[str]:
    """top_level.txt, or what is there under the distribution's name."""
    names = distribution.get("top_level") or guesses(distribution["name"])
    for name in dict.fromkeys(names):
        yield from disk.below(location, name)


class _Editable:
    """The source folder of an editable install: RECORD names only the files that lead there."""

    def __init__(self, distribution: Distribution, roots: _Roots, disk: _Disk) -> None:
        self._distribution = distribution
        self._roots = roots
        self._disk = disk
        self._leads: list[str] = []

    def takes(self, relative: str) -> bool:
        """Whether a recorded file leads to others, and is no module of the distribution's own."""
        if "/" in relative or not (relative.endswith(".pth") or _is_finder(relative)):
            return False
        self._leads.append(relative)
        return True

    def files(self) -> Iterator[tuple[str, str, str]]:
        for lead in self._leads:
            text = _text(os.path.join(self._distribution["location"], lead))
            found = self._by_path_lines(text) if lead.endswith(".pth") else self._by_mapping(text)
            yield from found

    def _by_path_lines(self, text: str) -> Iterator[tuple[str, str, str]]:
        for line in text.splitlines():
            folder = os.path.join(self._distribution["location"], line.strip())
            if not line.strip() or line.startswith(("#", "import ", "import\t")) or not os.path.isdir(folder):
                continue
            root = self._roots.of(folder)
            if root is None or root == self._roots.of(self._distribution["location"]):
                continue
            for relative in self._in_source_folder(root):
                yield root, relative, ""

    def _in_source_folder(self, root: str) -> list[str]:
        """Never its loose files, unless they bear the distribution's name: setup.py would run."""
        found = list(_on_disk(self._distribution, root, self._disk))
        if not found:
            for name in self._disk.packages(root):
                found.extend(self._disk.below(root, name))
        return found

    def _by_mapping(self, text: str) -> Iterator[tuple[str, str, str]]:
        for name, target in sorted(mapped(text).items()):
            path = os.path.normpath(target)
            if path.endswith(".py"):
                path = path[:-3]
            tail = "/" + name.replace(".", "/")
            if path.endswith(tail):
                root = path[: -len(tail)]
                for relative in self._disk.below(root, name):
                    yield root, relative, ""
            else:
                folder, _, leaf = path.rpartition("/")
                for relative in self._disk.below(folder, leaf):
                    if relative.startswith(leaf + "/"):
                        yield path, relative[len(leaf) + 1 :], name


def _is_finder(relative: str) -> bool:
    return relative.endswith(".py") and relative.startswith(("__editable__", "_editable_impl_"))


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_LARGEST_FINDER)
    except OSError:
        return ""

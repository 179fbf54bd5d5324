"""Every module of every distribution, listed without importing anything.

Which files a distribution has comes from its RECORD, or from the disk where there is none (see sweep_sources.py). What
name a file is imported by, and which of several files of one name is taken, is the import system's rule
(importlib.machinery.FileFinder): package, extension in the order of its suffixes, source, bytecode.
"""

from __future__ import annotations

import mmap
import os
import re
from typing import Any, Dict, Iterable, Sequence

from imgcheck.collector.sweep_sources import ENDINGS, Distribution, Listing, files_of

_VENDORED = frozenset(("_vendor", "_vendored", "_vendors", "vendored"))
_TESTS = "tests"
_MAYBE_TESTS = frozenset(("test", "_test", "_tests"))  # django.test is no test: such a folder must hold one
_TEST_FILE = re.compile(r"test_.*|.*_test|conftest")
_TAGGED = re.compile(r"[^.]+\.(cpython-|pypy|graalpy|cp\d|abi\d)")
_BY_NAME = {"__main__": "main", "conftest": "conftest"}
_MAKES_NAMESPACE = frozenset(("module", "test", "main", "conftest", "vendored"))
_SCANNED = 1 << 26
_NO_CODE = (".data", ".dist-info", ".egg-info", "EGG-INFO")

Module = Dict[str, Any]


def enumerate_modules(
    distributions: Iterable[Distribution], sys_path: Iterable[str], extension_suffixes: Iterable[str]
) -> list[Module]:
    """Each as {"module", "distribution", "path", "kind", "group"}, and "also" where others own the file as well."""
    listing = Listing()
    suffixes = sorted(extension_suffixes, key=len, reverse=True)
    found = _Found(listing, suffixes)
    for number, distribution, root, relative, package in files_of(distributions, sys_path, suffixes, listing):
        found.add(number, distribution["name"], root, relative, package)
    return found.modules()


class _Found:
    def __init__(self, listing: Listing, suffixes: Sequence[str]) -> None:
        self._listing = listing
        self._suffixes = suffixes
        self._by_path: dict[str, Module] = {}
        self._roots: dict[str, int] = {}
        self._test_folders: set[str] = set()

    def add(self, number: int, distribution: str, root: str, relative: str, package: str = "") -> None:
        """Takes a file, if it can be a module. `package` is what its folder `root` is imported as; "" on sys.path."""
        if not relative.endswith(ENDINGS) or "__pycache__" in relative:
            return
        path = root + "/" + relative
        known = self._by_path.get(path)
        if known is not None:
            if distribution != known["distribution"] and distribution not in known.get("also", ()):
                known.setdefault("also", []).append(distribution)
            return
        module = self._module(root, path, relative, package)
        if module is not None:
            rank = self._roots.setdefault(root, len(self._roots))
            module.update(distribution=distribution, path=path, order=(number, rank, *module.pop("order")))
            self._by_path[path] = module

    def _module(self, root: str, path: str, relative: str, package: str) -> Module | None:
        parts = relative.split("/")
        folder, _, file = path.rpartition("/")
        if file not in self._listing.names(folder) or parts[0].endswith(_NO_CODE):
            return None
        leaf, kind, rank = self._leaf(file)
        if kind == "extension" and not _is_extension(path, leaf):
            return None
        if kind == "bytecode" and leaf + ".py" in self._listing.names(folder):
            return None
        if parts[0] == "bin" and "__init__.py" not in self._listing.names(root + "/bin"):
            return None  # scripts, of `pip install --target`
        names = package.split(".") if package else []
        names += parts[:-1] + ([leaf] if leaf != "__init__" else [])
        if not names or kind is None:
            return None
        if _TEST_FILE.fullmatch(leaf) and len(parts) > 1 and parts[-2] in _MAYBE_TESTS:
            self._test_folders.add(folder)
        if leaf == "__init__":
            rank, kind = rank - 100, "other-abi" if kind == "other-abi" else "package"
        return {"module": ".".join(names), "kind": kind, "names": names, "root": root, "order": (rank,)}

    def _leaf(self, file: str) -> tuple[str, str | None, int]:
        """Module name, kind and rank of a file name."""
        if file.endswith(".py"):
            return file[:-3], "source", 50
        if file.endswith(".pyc"):
            return file[:-4], "bytecode", 60
        for rank, suffix in enumerate(self._suffixes):
            if file.endswith(suffix) and "." not in file[: -len(suffix)]:
                return file[: -len(suffix)], "extension", rank
        if _TAGGED.match(file) or file.endswith(".pyd"):
            return file.split(".", maxsplit=1)[0], "other-abi", 90
        return "", None, 0

    def modules(self) -> list[Module]:
        found = list(self._by_path.values())
        for module in found:
            module["group"] = self._group(module)
        _mark_second_files(found)
        found += self._namespaces(found)
        found.sort(key=lambda module: (module["order"][0], module["names"], module["order"]))
        for module in found:
            for key in ("order", "names", "root"):
                del module[key]
        return found

    def _group(self, module: Module) -> str:
        names = module["names"]
        folders = names if module["kind"] == "package" else names[:-1]
        if module["kind"] == "other-abi":
            module["kind"] = "extension"
            return "other-abi"
        if "site-packages" in folders or not _VENDORED.isdisjoint(folders):
            return "vendored"
        if not all(map(str.isidentifier, names)):
            return "not-an-identifier"
        if self._is_test(module, folders):
            return "test"
        return _BY_NAME.get(names[-1], "module")

    def _is_test(self, module: Module, folders: list[str]) -> bool:
        if _TESTS in module["names"]:
            return True
        for place, name in enumerate(folders):
            if name in _MAYBE_TESTS and "/".join([module["root"], *folders[: place + 1]]) in self._test_folders:
                return True
        return False

    def _namespaces(self, found: Iterable[Module]) -> list[Module]:
        """Folders without an __init__ that hold modules: importable, and nobody's file."""
        known = {module["module"] for module in found if module["kind"] != "other-abi"}
        made: dict[str, Module] = {}
        for module in found:
            if module["group"] not in _MAKES_NAMESPACE:
                continue
            for count in range(len(module["names"]) - 1, 0, -1):
                name = ".".join(module["names"][:count])
                if name in known:
                    break
                self._add_namespace(made, name, module, count)
        return list(made.values())

    def _add_namespace(self, made: dict[str, Module], name: str, module: Module, count: int) -> None:
        one = made.get(name)
        if one is not None:
            if module["distribution"] != one["distribution"] and module["distribution"] not in one.get("also", ()):
                one.setdefault("also", []).append(module["distribution"])
            return
        names = module["names"][:count]
        path = "/".join([module["root"], *names])
        owned = "__init__.py" in self._listing.names(path)
        one = {
            "module": name,
            "distribution": module["distribution"],
            "path": path + "/__init__.py" if owned else path,
            "kind": "package" if owned else "namespace",
            "names": names,
            "root": module["root"],
            "order": module["order"],
        }
        one["group"] = self._group(dict(one, kind="package"))
        made[name] = one


def _mark_second_files(found: Iterable[Module]) -> None:
    """Of several files with one name the import system takes one; the others are never loaded."""
    first: dict[str, Module] = {}
    for module in found:
        if module["group"] == "other-abi":
            continue
        best = first.setdefault(module["module"], module)
        if best is module:
            continue
        second = module
        if module["order"][1:] < best["order"][1:]:
            first[module["module"]], second = module, best
        second["group"] = "second-file"


def _is_extension(path: str, leaf: str) -> bool:
    """Whether the file exports the function that the import system looks for: not every .so is a module."""
    try:
        prefix, text = "PyInit_", leaf.encode("ascii")
    except UnicodeEncodeError:  # PEP 489
        prefix, text = "PyInitU_", leaf.encode("punycode").replace(b"-", b"_")
    try:
        with open(path, "rb") as file:
            if not os.fstat(file.fileno()).st_size:
                return False
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _holds(data, prefix.encode("ascii") + text + b"\0")
    except OSError:
        return False


def _holds(data: mmap.mmap, text: bytes) -> bool:
    """Names are near the start of a library, or at its end if patchelf moved them: big ones are not read whole."""
    if data.find(text, 0, _SCANNED) >= 0:
        return True
    return len(data) > _SCANNED and data.find(text, max(_SCANNED, len(data) - _SCANNED)) >= 0

"""Who owns a module or a file: looked up by full dotted name, because namespace packages share their first part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from imgcheck.diagnosis.requirements import winners
from imgcheck.facts.model import Facts, InterpreterFacts

PYTHON = "python"
_NAMESPACE = "namespace"
_NOT_LOADED = frozenset({"other-abi", "second-file", "not-an-identifier"})


@dataclass(frozen=True, kw_only=True)
class Owners:
    """Modules and files by the distribution that RECORD gives them to.

    Args:
        modules: dotted name -> canonical name of a distribution.
        shared: those of them that several distributions own; a package of many is like a namespace, nobody's.
        namespaces: namespace packages of several distributions: what is not there below them is nobody's.
        files: a file that the import sweep saw -> dotted name.
        roots: entries of sys.path, the longest first.
        suffixes: endings of importable files, the longest first.
        stdlib: top-level modules of the standard library.
    """

    modules: Mapping[str, str]
    shared: frozenset[str]
    namespaces: frozenset[str]
    files: Mapping[str, str]
    roots: tuple[str, ...]
    suffixes: tuple[str, ...]
    stdlib: frozenset[str]

    def module_of(self, file: str) -> str:
        """The dotted name of a file; empty where it lies on no import path."""
        if file in self.files:
            return self.files[file]
        root = next((root for root in self.roots if file.startswith(root + "/")), None)
        suffix = next((suffix for suffix in self.suffixes if file.endswith(suffix)), None)
        if root is None or suffix is None:
            return ""
        return file[len(root) + 1 : -len(suffix)].removesuffix("/__init__").replace("/", ".")

    def of_file(self, file: str) -> str:
        """The distribution that a frame's file belongs to, "python", or empty where nobody knows."""
        if file.startswith("<frozen "):
            return PYTHON
        module = self.module_of(file)
        return self.of_module(module) if module else ""

    def of_module(self, module: str) -> str:
        holder = self.holder_of(module)
        if holder:
            return self.modules[holder]
        return PYTHON if module.partition(".")[0] in self.stdlib else ""

    def holder_of(self, module: str) -> str:
        """The module itself, or the nearest package above it, that a distribution owns."""
        if module in self.modules:
            return module
        for name in _upwards(module):
            if name in self.namespaces:
                return ""
            if name in self.modules and name not in self.shared:
                return name
        return ""


def owners_of(facts: Facts) -> Owners:
    modules: dict[str, str] = {}
    shared: set[str] = set()
    portions: Counter[str] = Counter()
    for distribution in winners(facts.inventory):
        own = distribution.canonical_name
        portions.update({name for name, kind, _ in distribution.modules if kind == _NAMESPACE})
        for name in (
            name for name, kind, group in distribution.modules if kind != _NAMESPACE and group not in _NOT_LOADED
        ):
            if modules.setdefault(name, own) != own:
                shared.add(name)
    files: dict[str, str] = {}
    for one in facts.imports.modules if facts.imports else ():
        files.update({file: one.module for file in (one.file, one.path) if file and file.startswith("/")})
    namespaces = frozenset(name for name, count in portions.items() if count > 1 and name not in modules)
    return _on_path(facts.inventory.interpreter, modules, frozenset(shared), namespaces, files)


def _on_path(
    interpreter: InterpreterFacts,
    modules: Mapping[str, str],
    shared: frozenset[str],
    namespaces: frozenset[str],
    files: Mapping[str, str],
) -> Owners:
    suffixes = {".py", ".pyc", ".pyx", ".so", *interpreter.extension_suffixes}
    return Owners(
        modules=modules,
        shared=shared,
        namespaces=namespaces,
        files=files,
        roots=tuple(sorted((entry.rstrip("/") for entry in interpreter.path), key=len, reverse=True)),
        suffixes=tuple(sorted(suffixes, key=len, reverse=True)),
        stdlib=frozenset(interpreter.stdlib),
    )


def _upwards(module: str) -> Iterator[str]:
    """Yields a.b.c, a.b, a."""
    while module:
        yield module
        module = module.rpartition(".")[0]

"""The import sweep's verdicts, as the checks of family IC3 share them out; the contract's exclusions hold here too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from imgcheck.contract.model import Contract, Imports
from imgcheck.facts.model import Facts, ModuleFacts


@dataclass(frozen=True, kw_only=True)
class Verdicts:
    """What is judged, and how many modules the contract leaves out.

    Args:
        modules: dotted name -> verdict, without what is left out.
    """

    modules: Mapping[str, ModuleFacts]
    excluded: int

    def root_of(self, module: ModuleFacts) -> ModuleFacts:
        """The package whose own failure is the reason, or the module itself."""
        seen = {module.module}
        while module.inherited_from and module.inherited_from not in seen:
            seen.add(module.inherited_from)
            parent = self.modules.get(module.inherited_from)
            if parent is None:
                break
            module = parent
        return module

    def ended(self, *statuses: str) -> dict[str, list[ModuleFacts]]:
        """Root -> the modules that end in one of these ways because of it, the root first."""
        found: defaultdict[str, list[ModuleFacts]] = defaultdict(list)
        for module in self.modules.values():
            root = self.root_of(module)
            if module.status != "ok" and root.status in statuses:
                found[root.module].append(module)
        return {root: sorted(found[root], key=lambda one: (one.module != root, one.module)) for root in sorted(found)}


def verdicts_of(contract: Contract, facts: Facts) -> Verdicts:
    patterns = (contract.import_options or Imports()).exclude
    swept = facts.imports.modules if facts.imports else ()
    kept = {one.module: one for one in swept if not matches(one.module, patterns)}
    return Verdicts(modules=kept, excluded=sum(matches(one.module, patterns) for one in swept))


def matches(module: str, patterns: tuple[str, ...]) -> bool:
    """Whether a name or pattern means the module or a package above it."""
    return any(fnmatchcase(module, one) or module.startswith(one.removesuffix(".*") + ".") for one in patterns)


def is_program(module: str) -> bool:
    """A package's `__main__` is run, not imported: to exit is its way to end."""
    return module.rpartition(".")[2] == "__main__"


def tail(text: str, lines: int = 20) -> str:
    return "\n".join(text.strip().splitlines()[-lines:])

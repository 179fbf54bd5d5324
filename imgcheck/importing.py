"""`imgcheck imports`: the import sweep by itself, or a few modules and all that they do, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from imgcheck.contract.loader import load_contract
from imgcheck.contract.model import Contract, Imports
from imgcheck.contract.near_miss import did_you_mean
from imgcheck.diagnosis.sweep import matches
from imgcheck.errors import NothingCheckedError, UsageError
from imgcheck.facts.collect import Collector
from imgcheck.facts.model import Facts, ImageFacts, Inventory
from imgcheck.images import find_image
from imgcheck.import_summary import ImportSummary, summarise
from imgcheck.pipeline import RunOptions, collector_for, connect
from imgcheck.progress import Progress
from imgcheck.remarks import notices_of

MOST_STORIES: Final = 20
"""A story takes a bare interpreter, and all that the module loads once more."""
_WILD: Final = frozenset("*?[")
_SWEPT: Final = frozenset({"module", "vendored"})
_TESTS: Final = frozenset({"test", "conftest"})
_NEVER_LOADED: Final = frozenset({"second-file", "other-abi"})


@dataclass(frozen=True, kw_only=True)
class ImportsRequest:
    """Which modules, and what wins over the contract.

    Args:
        modules: names, or patterns such as `foo.*`; every module unless given.
        contract: a file whose runtime, interpreter and import options hold.
    """

    modules: tuple[str, ...] = ()
    contract: Path | None = None
    timeout: float | None = None
    tests: bool = False
    interpreter: str | None = None

    def settled(self) -> tuple[Contract, Imports]:
        """The contract, or one that promises nothing, and the options of the sweep."""
        contract = load_contract(self.contract) if self.contract else Contract(imgcheck=1)
        if self.interpreter:
            contract = contract.model_copy(update={"python": self.interpreter})
        options = contract.import_options or Imports()
        timeout = options.timeout if self.timeout is None else self.timeout
        return contract, options.model_copy(update={"timeout": timeout, "tests": self.tests or options.tests})


def imports(reference: str, request: ImportsRequest, options: RunOptions, progress: Progress) -> ImportSummary:
    """Imports modules of an image that exists.

    Raises:
        UsageError: no module has a name that was asked for.
        NothingCheckedError: there is no module.
    """
    contract, wanted = request.settled()
    engine = connect(options, progress)
    image = find_image(engine, reference, progress)
    return imports_of(image, request.modules, wanted, collector_for(contract, engine, options), progress)


def imports_of(
    image: ImageFacts, asked: tuple[str, ...], options: Imports, collector: Collector, progress: Progress
) -> ImportSummary:
    with progress.step(f"Reading what is installed in {image.reference}"):
        inventory = collector.inventory(image)
    names = chosen(inventory, asked, options)
    what = "every module" if not asked else names[0] if len(names) == 1 else f"{len(names):,} modules"
    with progress.step(f"Importing {what} of {image.reference}"):
        found = collector.imports(
            image, options, progress.advance, only=names, story=bool(asked) and len(names) <= MOST_STORIES
        )
    if not found.modules:
        raise NothingCheckedError(
            f"{image.reference} has no module that could be imported",
            remedy="name the interpreter that its packages are installed for: --python /opt/conda/bin/python",
        )
    facts = Facts(image=image, inventory=inventory, imports=found)
    return summarise(facts, asked, collector.sources, (*collector.notices, *notices_of(found)))


def chosen(inventory: Inventory, asked: Iterable[str], options: Imports) -> tuple[str, ...]:
    """The modules that names and patterns mean; a pattern means only what a sweep would import.

    Raises:
        UsageError: one of them means none.
    """
    groups: dict[str, set[str]] = {}
    for distribution in inventory.distributions:
        for name, _, group in distribution.modules:
            if group not in _NEVER_LOADED:
                groups.setdefault(name, set()).add(group)
    swept = _SWEPT | _TESTS if options.tests else _SWEPT
    usual = [name for name in groups if groups[name] & swept and not matches(name, options.exclude)]
    found = dict.fromkeys(name for one in asked for name in _meant(one, groups, usual, inventory))
    return tuple(sorted(found))


def _meant(asked: str, known: Iterable[str], usual: Iterable[str], inventory: Inventory) -> Iterator[str]:
    if _WILD.isdisjoint(asked):
        if asked not in known:
            raise _unknown(asked, known, inventory)
        yield asked
        return
    found = [name for name in usual if fnmatchcase(name, asked)]
    if not found:
        raise UsageError(
            f"{asked!r} means no module{did_you_mean(asked.rstrip('.*'), known)}",
            remedy="a pattern means what a sweep imports: no tests unless --tests, nothing that the contract excludes",
        )
    yield from found


def _unknown(asked: str, known: Iterable[str], inventory: Inventory) -> UsageError:
    message = f"no distribution of the image has a module {asked!r}"
    if asked.partition(".")[0] in inventory.interpreter.stdlib:
        return UsageError(message, remedy="it is a part of Python itself, which imgcheck does not test")
    distribution = inventory.find(asked)
    tops = sorted({name.partition(".")[0] for name, _, _ in distribution.modules}) if distribution else []
    if distribution and tops:
        return UsageError(message, remedy=f"{distribution.name} is a distribution; its modules: {', '.join(tops[:5])}")
    return UsageError(message + did_you_mean(asked, known), remedy="imgcheck imports IMAGE --json lists all modules")

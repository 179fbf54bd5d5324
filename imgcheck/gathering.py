"""Facts of an image as far as the selected checks need them, and why some could not be had."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from imgcheck.checks import Needs
from imgcheck.contract.model import Contract, Imports
from imgcheck.contract.probes import Probe
from imgcheck.diagnosis.asking import asked_of
from imgcheck.diagnosis.company import company_of
from imgcheck.diagnosis.compiled import questions_of
from imgcheck.diagnosis.driverless import driver_libraries, wanted_of_driver
from imgcheck.diagnosis.run_lines import runs_of
from imgcheck.diagnosis.swallowing import unloaded_by_module, waiting_for_driver, with_stand_in
from imgcheck.errors import CollectorError, UntoldError
from imgcheck.facts.collect import Collector
from imgcheck.facts.files import FileFacts
from imgcheck.facts.kernels import KernelsFacts
from imgcheck.facts.loads import LoadFacts
from imgcheck.facts.model import Facts, ImageFacts, ImportFacts, Inventory
from imgcheck.facts.native import NativeFacts
from imgcheck.facts.outside_model import OutsideFacts
from imgcheck.facts.questions import QuestionFacts
from imgcheck.facts.script_runs import ScriptRuns
from imgcheck.facts.stand_in import can_stand_in, stand_in
from imgcheck.facts.statements import StatementFacts
from imgcheck.facts.surroundings import Surroundings
from imgcheck.facts.together import TogetherFacts
from imgcheck.model_reading import read_model_files
from imgcheck.progress import Progress
from imgcheck.selfchecking import call_selfchecks
from imgcheck.starting import start_probes

FactsT = TypeVar("FactsT")
_RESTS_ON: Final = {Needs.LOADS: Needs.IMPORTS, Needs.WRITABLE: Needs.SURROUNDINGS}
"""Kinds that are told by facts of another kind, which are collected then."""


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """Facts, and for each kind that could not be collected, or cannot be had of this at all, the reason."""

    facts: Facts
    problems: Mapping[Needs, str]
    untold: Mapping[Needs, str] = field(default_factory=dict)


def _with_following(need: Needs) -> tuple[Needs, ...]:
    """A kind, and what rests on it."""
    return need, *(one for one, other in _RESTS_ON.items() if other is need)


@dataclass
class _Tries:
    """Kinds of facts one after another: what cannot be had leaves the others alone, and its reason is kept."""

    needs: frozenset[Needs]
    notices: list[str]
    problems: dict[Needs, str] = field(default_factory=dict)
    untold: dict[Needs, str] = field(default_factory=dict)

    def tried(self, need: Needs, collect: Callable[[], FactsT], *, beside: bool = False) -> FactsT | None:
        """One kind. `beside`: it only adds to that; where it cannot be had, a notice and its check say so."""
        if need not in self.needs or need in self.untold:
            return None
        try:
            return collect()
        except UntoldError as error:
            if beside:
                self.notices.append(error.whole)
                return None
            self.untold |= dict.fromkeys(_with_following(need), error.whole)
        except CollectorError as error:
            self.problems |= dict.fromkeys(_with_following(need), error.whole)
        return None

    def each(self, need: Needs, collect: Callable[[], tuple[FactsT, list[str]]]) -> FactsT | None:
        """The same of what is collected one by one, with the reasons why some could not be had."""
        told = self.tried(need, collect)
        if told is None:
            return None
        if told[1]:
            self.problems[need] = "; ".join(told[1])
        return told[0]


def gather(
    collector: Collector,
    image: ImageFacts,
    contract: Contract,
    needs: frozenset[Needs],
    probes: tuple[Probe, ...],
    progress: Progress,
) -> Gathered:
    """Collects what `needs` names. The inventory is always needed; without it there is nothing to judge.

    Raises:
        CollectorError, UnsuitableImageError: the inventory cannot be had.
    """
    with progress.step(f"Reading what is installed in {image.reference}"):
        inventory = collector.inventory(image)
    tries = _Tries(needs | {_RESTS_ON[one] for one in needs & _RESTS_ON.keys()}, collector.notices)
    tried, each = tries.tried, tries.each
    files = tried(Needs.FILES, lambda: _files(collector, image, progress))
    surroundings = tried(Needs.SURROUNDINGS, lambda: _surroundings(collector, image, contract, progress))
    script_runs = tried(Needs.SURROUNDINGS, lambda: _script_runs(collector, image, contract, progress), beside=True)
    imports = tried(Needs.IMPORTS, lambda: _imports(collector, image, contract, progress))
    loads = tried(Needs.LOADS, lambda: _loads(collector, image, contract, imports, progress))
    driverless = tried(Needs.IMPORTS, lambda: _driverless(collector, image, contract, imports, progress), beside=True)
    strangers = tried(Needs.IMPORTS, lambda: _imports_as_stranger(collector, image, contract, progress), beside=True)
    statements = tried(Needs.STATEMENTS, lambda: _statements(collector, image, progress))
    company = company_of(contract, inventory, imports).names if Needs.TOGETHER in needs else ()
    together = tried(Needs.TOGETHER, lambda: _together(collector, image, contract, company, progress))
    native = tried(Needs.NATIVE, lambda: _native(collector, image, contract, progress))
    questions = tried(Needs.NATIVE, lambda: _questions(collector, image, contract, inventory, progress), beside=True)
    os_packages = tried(Needs.OS_PACKAGES, lambda: collector.os_packages(image))
    toolchain = tried(Needs.TOOLCHAIN, lambda: collector.toolchain(image))
    kernels = tried(Needs.KERNELS, lambda: _kernels(collector, image, contract, progress))
    found = each(Needs.PROBES, lambda: start_probes(collector, image, probes, progress))
    runs = each(Needs.RUNS, lambda: start_probes(collector, image, runs_of(contract), progress))
    selfchecks = each(Needs.SELFCHECKS, lambda: call_selfchecks(collector, image, contract, inventory, progress))
    outside = tried(Needs.OUTSIDE, lambda: _outside(collector, image, contract, inventory, progress))
    facts = Facts(
        image=image,
        inventory=inventory,
        imports=imports,
        stranger=collector.vantage,
        stranger_imports=strangers,
        driverless=driverless,
        files=files,
        surroundings=surroundings,
        script_runs=script_runs,
        statements=statements,
        together=together,
        model_files=read_model_files(contract),
        runs=runs or {},
        loads=loads,
        native=native,
        questions=questions,
        os_packages=os_packages,
        toolchain=toolchain,
        kernels=kernels,
        probes=found or {},
        selfchecks=selfchecks,
        outside=outside,
    )
    return Gathered(facts=facts, problems=tries.problems, untold=tries.untold)


def _outside(
    collector: Collector, image: ImageFacts, contract: Contract, inventory: Inventory, progress: Progress
) -> OutsideFacts | None:
    if collector.read_contents is None:
        return None
    runtime = contract.runtime
    mounts = (*(one.path for one in runtime.mounts), *(one.path for one in runtime.tmpfs))
    with progress.step(f"Reading the layers of {image.reference}, as its Python is not to be believed"):
        return collector.outside(image, inventory, mounts)


def _files(collector: Collector, image: ImageFacts, progress: Progress) -> FileFacts:
    with progress.step(f"Comparing the files of {image.reference} with their owners' lists"):
        return collector.files(image)


def _surroundings(collector: Collector, image: ImageFacts, contract: Contract, progress: Progress) -> Surroundings:
    with progress.step(f"Looking at variables, paths and scripts of {image.reference}"):
        return collector.surroundings(image, asked_of(contract, image))


def _script_runs(collector: Collector, image: ImageFacts, contract: Contract, progress: Progress) -> ScriptRuns | None:
    options = contract.script_options
    if options is None:
        return None
    with progress.step(f"Asking each console script of {image.reference} for help"):
        return collector.script_runs(image, options)


def _statements(collector: Collector, image: ImageFacts, progress: Progress) -> StatementFacts:
    with progress.step(f"Reading the import statements of {image.reference}"):
        return collector.statements(image)


def _imports(
    collector: Collector, image: ImageFacts, contract: Contract, progress: Progress, whose: str = ""
) -> ImportFacts | None:
    options = contract.import_options
    if options is None:
        return None
    with progress.step(f"Importing every module of {image.reference}{whose}"):
        return collector.imports(image, options, progress.advance)


def _imports_as_stranger(
    collector: Collector, image: ImageFacts, contract: Contract, progress: Progress
) -> ImportFacts | None:
    if collector.vantage is None:
        return None
    return _imports(collector.as_stranger(), image, contract, progress, f" as uid {collector.vantage}")


def _together(
    collector: Collector, image: ImageFacts, contract: Contract, names: tuple[str, ...], progress: Progress
) -> TogetherFacts:
    if not names:
        return TogetherFacts()
    with progress.step(f"Importing {len(names)} modules of {image.reference} together"):
        return collector.together(image, names, (contract.import_options or Imports()).timeout)


def _driverless(
    collector: Collector, image: ImageFacts, contract: Contract, imports: ImportFacts | None, progress: Progress
) -> ImportFacts | None:
    """What lacks nothing but the driver's libraries, once more with stand-ins that export the names it links."""
    wanted = wanted_of_driver(imports)
    if not wanted.modules:
        return None
    beside = _with_stand_ins(collector, image, contract, wanted.libraries, progress)
    if beside is None:
        return None
    options = contract.import_options or Imports()
    with progress.step(f"Importing {len(wanted.modules)} modules of {image.reference} with a stand-in for the driver"):
        return beside.imports(image, options, progress.advance, only=wanted.modules)


def _with_stand_ins(
    collector: Collector, image: ImageFacts, contract: Contract, wanted: tuple[str, ...], progress: Progress
) -> Collector | None:
    """A collector whose containers hold stand-ins for the driver's libraries; None for a machine that has none."""
    native = _native(collector, image, contract, progress)
    if not can_stand_in(native.machine):
        return None
    libraries = {
        one.soname: stand_in(one.soname, one.symbols, native.machine, one.result)
        for one in driver_libraries(native, wanted)
    }
    return collector.with_libraries(image, libraries)


def _loads(
    collector: Collector, image: ImageFacts, contract: Contract, imports: ImportFacts | None, progress: Progress
) -> LoadFacts:
    """Raises CollectorError where there was no import sweep."""
    if imports is None:
        raise CollectorError("what imports load is not known, for the import sweep failed")
    paths = unloaded_by_module(imports)
    if not paths:
        return LoadFacts()
    count, seconds = sum(map(len, paths.values())), (contract.import_options or Imports()).timeout
    with progress.step(f"Loading {count} libraries of {image.reference} that imports did not get"):
        first = collector.loads(image, paths, seconds)
    waiting = waiting_for_driver(first)
    beside = _with_stand_ins(collector, image, contract, waiting.libraries, progress) if waiting.paths else None
    return with_stand_in(first, beside.loads(image, waiting.paths, seconds)) if beside else first


def _native(collector: Collector, image: ImageFacts, contract: Contract, progress: Progress) -> NativeFacts:
    with progress.step(f"Reading the native files of {image.reference}"):
        return collector.native(image, contract.native_options.folders)


def _questions(
    collector: Collector, image: ImageFacts, contract: Contract, inventory: Inventory, progress: Progress
) -> QuestionFacts:
    asked = questions_of(contract, inventory)
    if not asked:
        return QuestionFacts()
    with progress.step(f"Asking {', '.join(asked)} of {image.reference} what they were compiled for"):
        return collector.questions(image, asked, (contract.import_options or Imports()).timeout)


def _kernels(collector: Collector, image: ImageFacts, contract: Contract, progress: Progress) -> KernelsFacts:
    with progress.step(f"Compiling {len(contract.kernels)} kernels in {image.reference}"):
        return collector.kernels(image, contract.kernels, contract.gpu.capabilities if contract.gpu else ())

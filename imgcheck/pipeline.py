"""The run, in order. The file to read first: each step is one module, each value is handed on and never changed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from imgcheck import __version__, planning
from imgcheck.blaming import BuildSource
from imgcheck.building import BuildRequest, prepare
from imgcheck.checks import CHECKS, Needs
from imgcheck.cleaning import Leftovers, sweep, sweep_drafts
from imgcheck.constraints.merging import lock_files
from imgcheck.contract.loader import load_contract
from imgcheck.contract.model import Contract
from imgcheck.contract.probes import Probe
from imgcheck.ending import Ending
from imgcheck.engines.docker import DockerEngine
from imgcheck.engines.endpoint import settle
from imgcheck.engines.engine import Engine, Runner
from imgcheck.errors import ContractError, ImgcheckError, UsageError
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import PYTHONS, Collector
from imgcheck.facts.fixtures import fixture_paths
from imgcheck.facts.layers import LayerFacts
from imgcheck.facts.model import Facts, ImageFacts, Inventory
from imgcheck.facts.os_packages import OsPackages
from imgcheck.facts.plan import PlanFacts
from imgcheck.facts.rebuild import Locked, RebuildFacts
from imgcheck.gathering import gather
from imgcheck.images import find_base, find_image
from imgcheck.inventory_diff import InventoryDiff
from imgcheck.inventory_diff import diff as compare
from imgcheck.judging import Selection
from imgcheck.locking.lockfile import parse_lock
from imgcheck.observed import Observed
from imgcheck.outcome import Report
from imgcheck.probes import resolve
from imgcheck.progress import Progress
from imgcheck.remarks import notices_of
from imgcheck.report.files import write_report
from imgcheck.reporting import report_of, with_causes
from imgcheck.subjects import Foreign, Subject, Unrun, Wanted

_UNCOMPARED: Final = "the base is not compared, and nothing counts as inherited: "


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What every run can be told, whatever the command."""

    host: str | None = None
    cache_folder: Path | None = None
    use_cache: bool = True
    selection: Selection = field(default_factory=Selection)
    strict: bool = False
    strict_base: bool = False
    jobs: int | None = None
    deep: bool = False
    vantage: int | None = None
    distrust: bool = False
    save_facts: Path | None = None
    ending: Ending = field(default_factory=Ending)


def connect(options: RunOptions, progress: Progress) -> DockerEngine:
    """The engine, settled once; it answers, or the run ends here. What killed runs left there goes first."""
    engine = DockerEngine(settle(options.host))
    engine.info()
    options.ending.do(engine.end)
    _tell_removed(sweep(engine, options.cache_folder), progress)
    return engine


def _tell_removed(gone: Leftovers, progress: Progress) -> None:
    if gone.count:
        progress.note(f"removed what a killed run left: {gone.told}")


def check(wanted: Wanted, contract_path: Path, options: RunOptions, progress: Progress) -> Report:
    """Judges an image that exists, or what is there without an engine."""
    contract, probes = promises(contract_path, options)
    if isinstance(wanted, str):
        engine = connect(options, progress)
        image = find_image(engine, wanted, progress)
        if engine.runs(image, (contract.interpreter,) if contract.interpreter else PYTHONS):
            subject = Subject(image=image, runner=engine, engine=engine)
            return judge_subject(subject, contract, probes, collector_for(contract, engine, options), options, progress)
        progress.note(f"{image.reference} is for {image.architecture}, which cannot be run here: its files are read")
        return _check_unrun(Foreign(engine=engine, image=image), contract, probes, options, progress)
    _tell_removed(sweep_drafts(options.cache_folder), progress)
    return _check_unrun(wanted, contract, probes, options, progress)


def _check_unrun(
    wanted: Unrun, contract: Contract, probes: tuple[Probe, ...], options: RunOptions, progress: Progress
) -> Report:
    if options.distrust:
        raise UsageError(
            "--distrust holds what an image's own Python answers in a container against its layers",
            remedy="leave it out, or name an IMAGE that this engine can run",
        )
    with wanted.opened(contract, vantage=options.vantage) as subject:
        collector = collector_of(contract, subject.runner, options, subject.interpreter)
        collector.still = subject.still
        collector.notices.extend(subject.notices)
        return judge_subject(subject, contract, probes, collector, options, progress)


def build(request: BuildRequest, contract_path: Path, options: RunOptions, progress: Progress) -> Report:
    """Builds with the constraints in force, judges, and tags what keeps its contract; nothing else is left behind."""
    contract, probes = promises(contract_path, options)
    engine = connect(options, progress)
    base = find_base(engine, contract, progress)
    collector = collector_for(contract, engine, options)
    prepared = prepare(engine, request, contract, base, collector, options.cache_folder, progress)
    plan, notes = prepared.plan, prepared.notes
    static = prepared.planned(options.selection, progress, collector.cache) if request.plan else None
    if static is not None:
        results = planning.judge_plan(contract, base, prepared.inventory, static, options.selection)
        if planning.is_hopeless(results):
            report = planning.report_of(contract, base, static, results, strict=options.strict)
            notice = "nothing was built: the constraints leave no solution (--no-resolve, --no-plan or a waiver builds)"
            return replace(report, notices=(notice, *plan.notices, *notes, *collector.notices))
        planning.foretell(results, progress)
    with ExitStack() as stack:
        with progress.step(f"Building {', '.join(request.tags) or 'an image'} on {plan.base_reference}"):
            working = stack.enter_context(prepared.built(progress))
        working.kept = request.keep_failed
        image = working.image.model_copy(
            update={"reference": request.tags[0] if request.tags else working.working_name}
        )
        source = BuildSource(dockerfile=plan.dockerfile, target=plan.target, context=request.context)
        rebuild = prepared.rebuilt(collector, progress)
        told = {"plan": planning.settled_by_build(static) if static else None, "rebuild": rebuild}
        subject = Subject(image=image, runner=engine, engine=engine)
        report = judge_subject(subject, contract, probes, collector, options, progress, source, told, request.tags)
        report = replace(report, notices=(*working.notices, *notes, *report.notices))
        if report.kept:
            for tag in request.tags:
                engine.tag(working.id, tag)
            working.kept = False
        elif working.kept:
            progress.note(f"kept for a look inside: {working.kept_name}")
    return report


def plan(request: BuildRequest, contract_path: Path, options: RunOptions, progress: Progress) -> Report:
    """Judges a build by its files alone; nothing is built."""
    contract, _ = promises(contract_path, options)
    engine = connect(options, progress)
    base = find_base(engine, contract, progress)
    collector = collector_for(contract, engine, options)
    prepared = prepare(engine, request, contract, base, collector, options.cache_folder, progress)
    static = prepared.planned(options.selection, progress)
    results = planning.judge_plan(contract, base, prepared.inventory, static, options.selection)
    report = planning.report_of(contract, base, static, results, strict=options.strict)
    return replace(report, notices=(*prepared.plan.notices, *prepared.notes, *collector.notices))


def promises(path: Path, options: RunOptions) -> tuple[Contract, tuple[Probe, ...]]:
    """The contract and its probes; what is wrong with them, or with the selection, is told before anything runs."""
    options.selection.verify(CHECKS)
    contract = load_contract(path)
    return contract, resolve(contract)


def collector_for(contract: Contract, engine: Engine, options: RunOptions) -> Collector:
    """A collector that runs an engine's images as the contract says the cluster does.

    Facts of a run that was not limited as the contract says are neither kept nor taken from those that are.
    """
    asked = {key for key in ("memory", "cpus", "pids") if getattr(contract.runtime, key) is not None}
    unlimited = sorted(asked & engine.cannot_limit()) if asked else []
    collector = collector_of(contract, engine, replace(options, use_cache=options.use_cache and not unlimited))
    collector.read_contents = engine.contents if options.distrust else None
    collector.notices += [f"runtime.{one} was not in force: this engine cannot limit it" for one in unlimited]
    return collector


def collector_of(contract: Contract, runner: Runner, options: RunOptions, interpreter: str | None = None) -> Collector:
    """A collector by whatever runs its programs, which may be no engine."""
    return Collector(
        engine=runner,
        cache=FactsCache.default(options.cache_folder, enabled=options.use_cache),
        runtime=contract.runtime,
        fixtures=fixture_paths(contract),
        interpreter=interpreter or contract.interpreter,
        jobs=options.jobs,
        deep=options.deep,
        vantage=options.vantage,
        notices=[f"runtime leaves out {one}" for one in contract.left_out],
    )


def diff(before: str, after: str, options: RunOptions, progress: Progress) -> InventoryDiff:
    """What differs between the distributions of two images."""
    engine = connect(options, progress)
    collector = Collector(engine=engine, cache=FactsCache.default(options.cache_folder, enabled=options.use_cache))
    images = [find_image(engine, one, progress) for one in (before, after)]
    inventories = []
    for image in images:
        with progress.step(f"Reading what is installed in {image.reference}"):
            inventories.append(collector.inventory(image))
    return compare(*inventories)


def judge_subject(
    subject: Subject,
    contract: Contract,
    probes: tuple[Probe, ...],
    collector: Collector,
    options: RunOptions,
    progress: Progress,
    source: BuildSource | None = None,
    told: Mapping[str, PlanFacts | RebuildFacts | None] | None = None,
    tags: tuple[str, ...] = (),
) -> Report:
    """Facts of the image, facts of its base, what they mean, and who did it."""
    seen = observe(subject, contract, probes, collector, options, progress)
    seen = seen.model_copy(update={"facts": seen.facts.model_copy(update=dict(told or {})), "tags": tags})
    report = report_of(
        contract,
        seen,
        options.selection,
        strict=options.strict,
        strict_base=options.strict_base,
        source=source,
        read_layers=(lambda: _layers(collector, subject.image, progress)) if subject.image.layers else None,
    )
    notices = (*collector.notices, *subject.lacks, *notices_of(seen.facts.imports))
    report = replace(report, sources=tuple(collector.sources), notices=notices)
    if options.save_facts:
        report = _saved(report, with_causes(seen, report), options.save_facts)
    return report


def observe(
    subject: Subject,
    contract: Contract,
    probes: tuple[Probe, ...],
    collector: Collector,
    options: RunOptions,
    progress: Progress,
) -> Observed:
    """Facts of the image and of its base, as far as the chosen checks need them."""
    asked = frozenset(one.needs for one in CHECKS if one.applies(contract) and options.selection.chooses(one))
    needs = asked - frozenset(subject.untold)
    gathered = gather(collector, subject.image, contract, needs, probes, progress)
    base, baseline = _baseline(collector, subject, contract, needs, progress)
    facts = gathered.facts.model_copy(
        update={
            "base": _base_inventory(gathered.facts, base, baseline),
            "base_os_packages": _base_os_packages(gathered.facts, base, baseline),
            "locked": _locked(contract),
        }
    )
    return Observed(
        imgcheck=__version__,
        facts=facts,
        baseline=baseline,
        base=base,
        problems=dict(gathered.problems),
        untold={**subject.untold, **gathered.untold},
        sources=tuple(collector.sources),
        notices=tuple(collector.notices),
    )


def _saved(report: Report, seen: Observed, path: Path) -> Report:
    """Keeps what was seen. A file that cannot be written is told, and does not change the verdict."""
    try:
        write_report(seen.model_dump_json(), path)
    except OSError as error:
        return replace(report, notices=(*report.notices, f"facts could not be saved to {path}: {error.strerror}"))
    return report


def _base_inventory(facts: Facts, base: ImageFacts | None, baseline: Facts | None) -> Inventory | None:
    """The base's own; where the image is the base, its own."""
    if base and base.digest == facts.image.digest:
        return facts.inventory
    return baseline.inventory if baseline else None


def _base_os_packages(facts: Facts, base: ImageFacts | None, baseline: Facts | None) -> OsPackages | None:
    """The same of the packages of the operating system."""
    if base and base.digest == facts.image.digest:
        return facts.os_packages
    return baseline.os_packages if baseline else None


def _locked(contract: Contract) -> tuple[Locked, ...] | None:
    """What the contract's locks say.

    Raises:
        ContractError: a lock cannot be read.
    """
    if not contract.locks:
        return None
    found: list[Locked] = []
    for number, path in enumerate(lock_files(contract)):
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            where = contract.where("locks", str(number))
            raise ContractError(f"{where}: locks: {path} cannot be read: {error}") from None
        found += [
            Locked(name=one.name, version=one.version, file=str(path), line=one.line)
            for one in parse_lock(text).entries
        ]
    return tuple(found)


def _layers(collector: Collector, image: ImageFacts, progress: Progress) -> LayerFacts:
    with progress.step(f"Reading the layers of {image.reference}, as times leave a step open"):
        return collector.layers(image)


def _baseline(
    collector: Collector,
    subject: Subject,
    contract: Contract,
    needs: frozenset[Needs],
    progress: Progress,
) -> tuple[ImageFacts | None, Facts | None]:
    """The base's own facts. Without them nothing is excused as inherited, and the report says so."""
    if contract.base is None:
        return None, None
    if subject.engine is None:
        collector.notices.append(_UNCOMPARED + subject.no_base)
        return None, None
    try:
        base = find_base(subject.engine, contract, progress)
        if base.digest == subject.image.digest:
            return base, None
        gathered = gather(collector, base, contract, needs - {Needs.PROBES, Needs.RUNS, Needs.OUTSIDE}, (), progress)
    except ImgcheckError as error:
        collector.notices.append(_UNCOMPARED + error.message)
        return None, None
    collector.notices.extend(f"of the base: {reason}" for reason in gathered.problems.values())
    return base, gathered.facts

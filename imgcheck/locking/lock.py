"""`imgcheck lock`, in order: requirement files in, a lock that suits the base and keeps its contract out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from imgcheck.build.refusals import refusal_of
from imgcheck.constraining import constraints_in_force
from imgcheck.contract.model import Contract
from imgcheck.errors import ExitCode, UsageError
from imgcheck.facts.model import Inventory
from imgcheck.images import find_base
from imgcheck.locking.answers import raise_unanswered, words
from imgcheck.locking.explaining import Case, Explanation, explain
from imgcheck.locking.files import asked_in, gather_files
from imgcheck.locking.lockfile import (
    Lock,
    contradictions,
    differences,
    lock_text,
    parse_lock,
    without_base,
    without_hashes,
)
from imgcheck.locking.resolving import Bench, Question, Resolution, preferring, stand_ins
from imgcheck.locking.sources import IndexOptions, settle_sources
from imgcheck.locking.tools import Resolver, compiled_at, tools_for
from imgcheck.locking.writing import write_whole
from imgcheck.pipeline import RunOptions, collector_for, connect, promises
from imgcheck.progress import Progress
from imgcheck.requirements.files import RequirementFile, read_requirement_file


@dataclass(frozen=True, kw_only=True)
class LockRequest:
    """What the user asks for."""

    inputs: tuple[Path, ...]
    output: Path
    check: bool = False
    hashes: bool = False
    everything: bool = False
    upgrade: bool = False
    upgrade_packages: tuple[str, ...] = ()
    pre: bool = False
    ways: bool = True
    resolver: Resolver = "pip-tools"
    network: str = "bridge"
    indexes: IndexOptions = field(default_factory=IndexOptions)


@dataclass(frozen=True, kw_only=True)
class LockResult:
    """What came of it: sentences, the ways out, and the new text where there is one."""

    exit_code: ExitCode
    headline: str
    told: tuple[str, ...] = ()
    ways: tuple[str, ...] = ()
    log: str = ""
    text: str = ""
    explanation: Explanation | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """All that a resolution needs, and the files that it is of."""

    contract: Contract
    inventory: Inventory
    bench: Bench
    question: Question
    case: Case
    inner: Mapping[Path, str]
    notes: tuple[str, ...]


def lock(request: LockRequest, contract_path: Path, options: RunOptions, progress: Progress) -> LockResult:
    """Writes the lock, or with `check` tells whether the one that is there is stale or contradicts the contract.

    Raises:
        UsageError: a requirement file cannot be read; with file and line.
        RegistryOutOfReachError: no index answered.
    """
    prepared = prepare(request, contract_path, options, progress)
    old_text = _old(request.output)
    old = parse_lock(old_text)
    if request.check and old_text is not None:
        broken = contradictions(old, prepared.contract, str(request.output))
        if broken:
            headline = f"{request.output} contradicts {prepared.contract.path}"
            return LockResult(exit_code=ExitCode.BROKEN, headline=headline, told=broken, notes=prepared.notes)
    with prepared.bench.kept_open():
        with progress.step(f"Resolving {', '.join(map(str, request.inputs))} in {prepared.bench.base.reference}"):
            solved = prepared.bench.resolve(prepared.question)
        if not solved.solved:
            with progress.step("Looking for the reasons"):
                return failed(prepared, solved, ways=request.ways)
    return _settled(request, prepared, solved, old_text)


def prepare(request: LockRequest, contract_path: Path, options: RunOptions, progress: Progress) -> Prepared:
    """The files read, the base found and looked into, the tools fetched."""
    files = [read_requirement_file(path) for path in request.inputs]
    _refuse(files)
    contract, _ = promises(contract_path, options)
    sources = settle_sources(request.indexes)
    engine = connect(options, progress)
    base = find_base(engine, contract, progress)
    collector = collector_for(contract, engine, options)
    with progress.step(f"Reading what is installed in {base.reference}"):
        inventory = collector.inventory(base)
    constraints, notes = constraints_in_force(engine, contract, base, inventory.interpreter.markers)
    with progress.step(f"Fetching {request.resolver}"):
        tools = tools_for(inventory, request.resolver, options.cache_folder)
    bench = Bench(
        engine=engine,
        base=base,
        inventory=inventory,
        python=inventory.interpreter.executable,
        resolver=request.resolver,
        tools=tools,
        sources=sources,
        network=request.network,
        compiled=compiled_at(base.digest, inventory.interpreter.executable, tools, options.cache_folder),
    )
    limits = [read_requirement_file(path) for path in sources.constraints]
    gathered = gather_files(files, limits)
    question = Question(
        inputs=tuple(gathered.inner[read.path] for read in files),
        texts=gathered.texts,
        constraints=constraints,
        further=tuple(gathered.inner[read.path] for read in limits),
        seed="" if request.upgrade else _seed(request.output, inventory),
        arguments=_arguments(request),
    )
    case = Case(bench=bench, question=question, contract=contract, asked=asked_in(files, gathered))
    return Prepared(
        contract=contract,
        inventory=inventory,
        bench=bench,
        question=question,
        case=case,
        inner=gathered.inner,
        notes=notes,
    )


def _refuse(files: Sequence[RequirementFile]) -> None:
    """Paths of this machine are not there in the base; what is asked for must be something."""
    for read in files:
        for line in read.asked:
            if line.local:
                raise UsageError(
                    f"{line.where}: {line.text} is a path, which a lock in the base cannot hold",
                    remedy="lock what it requires, and install it in the Dockerfile with --no-deps",
                )
    if not any(read.asked for read in files):
        raise UsageError(f"{', '.join(str(read.path) for read in files)}: there is no requirement in it")


def _arguments(request: LockRequest) -> tuple[str, ...]:
    flags = [("--generate-hashes", request.hashes), ("--upgrade", request.upgrade)]
    flags.append(("--pre" if request.resolver == "pip-tools" else "--prerelease=allow", request.pre))
    # -v, as pip tells the reasons of a conflict only then
    flags.append(("--verbose", request.resolver == "pip-tools"))
    packages = [word for name in request.upgrade_packages for word in ("--upgrade-package", name)]
    return (*(name for name, wanted in flags if wanted), *packages)


def _seed(path: Path, inventory: Inventory) -> str:
    """What is preferred to newer versions: what the base has, then what the lock says."""
    return preferring(inventory, parse_lock(_old(path)))


def _old(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None


def failed(prepared: Prepared, answer: Resolution, *, ways: bool) -> LockResult:
    """Why there is no lock.

    Raises:
        RegistryOutOfReachError: no index answered.
        UsageError: a certificate is not trusted.
    """
    explanation = explain(prepared.case, answer, ways=ways)
    if explanation is not None:
        return LockResult(
            exit_code=ExitCode.BROKEN,
            headline="there is no solution under the contract",
            told=explanation.conflicts,
            ways=explanation.ways,
            explanation=explanation,
            notes=prepared.notes,
        )
    raise_unanswered(answer.log)
    refusal = refusal_of(answer.log)
    return LockResult(
        exit_code=ExitCode.BROKEN,
        headline="there is no solution; the resolver's own words:",
        told=(refusal.message,) if refusal else (),
        ways=(refusal.remedy,) if refusal else (),
        log=words(answer.log),
        notes=prepared.notes,
    )


def _settled(request: LockRequest, prepared: Prepared, solved: Resolution, old_text: str) -> LockResult:
    text = fresh_text(request, prepared, solved)
    new = parse_lock(text)
    if request.check:
        return _checked(request, prepared, parse_lock(old_text), new, exists=bool(old_text))
    unchanged = text == old_text
    if not unchanged:
        write_whole(request.output, text)
    verb = "unchanged" if unchanged else "wrote"
    return LockResult(
        exit_code=ExitCode.KEPT,
        headline=f"{verb} {request.output}: {len(new.entries)} distributions beside the base's own",
        told=differences(parse_lock(old_text), new) if old_text else (),
        text=text,
        notes=prepared.notes,
    )


def fresh_text(request: LockRequest, prepared: Prepared, solved: Resolution) -> str:
    """The lock of a resolution.

    Raises:
        UsageError: hashes are wanted of a build that only the base has.
    """
    new, bare = without_hashes(parse_lock(solved.text), solved.stand_ins)
    if not request.everything:
        versions = {one.canonical_name: one.version for one in stand_ins(prepared.inventory)}
        new = without_base(new, versions)
    elif request.hashes and bare:
        raise UsageError(
            f"the base's own {', '.join(bare[:6])} cannot be hashed: only the base has that build",
            remedy="lock without --all: what the base has need not be in the lock",
        )
    return lock_text(new, _header(request, prepared, _python(prepared)))


def _python(prepared: Prepared) -> str:
    return ".".join(prepared.inventory.interpreter.version.split(".")[:2])


def _header(request: LockRequest, prepared: Prepared, python: str) -> list[str]:
    base = prepared.contract.base.image if prepared.contract.base else prepared.bench.base.reference
    inputs = " ".join(path.name for path in request.inputs)
    contract = Path(prepared.contract.path).name
    kept = "are in it" if request.everything else "are left out"
    return [
        f"Python {python}, locked by imgcheck in {base} under {contract}; the base's own {kept}",
        f"Renew: imgcheck lock {inputs} -c {contract} -o {request.output.name}",
    ]


def _checked(request: LockRequest, prepared: Prepared, old: Lock, new: Lock, *, exists: bool) -> LockResult:
    if not exists:
        return LockResult(
            exit_code=ExitCode.BROKEN, headline=f"there is no lock at {request.output}", notes=prepared.notes
        )
    told = list(differences(old, new))
    python = _python(prepared)
    if old.python and old.python != python:
        told.insert(0, f"it is for Python {old.python}, and the base has {python}")
    if told:
        headline = f"{request.output} is stale"
        return LockResult(exit_code=ExitCode.BROKEN, headline=headline, told=tuple(told), notes=prepared.notes)
    headline = f"{request.output} is fresh: {len(old.entries)} distributions"
    return LockResult(exit_code=ExitCode.KEPT, headline=headline, notes=prepared.notes)


def shown(result: LockResult) -> str:
    """For people."""
    lines = [result.headline, *(f"  {one}" for one in result.told)]
    lines += [f"  → {one}" for one in result.ways]
    lines += [f"  │ {one}" for one in result.log.splitlines()]
    lines += [f"note: {one}" for one in result.notes]
    return "\n".join(lines)

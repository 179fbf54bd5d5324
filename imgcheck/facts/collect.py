"""Collecting: the collector put into a container of the image, its answers made into typed facts, kept by content."""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from imgcheck.contract.model import Imports, Kernel, Scripts
from imgcheck.contract.probes import Probe
from imgcheck.contract.runtime import Runtime, soft_and_hard
from imgcheck.contract.selfchecks import SelfChecks
from imgcheck.engines.engine import (
    FOLDER,
    BindSpec,
    Container,
    ContainerSpec,
    Ended,
    Executable,
    MountSpec,
    Runner,
    Ulimit,
)
from imgcheck.errors import CollectorError, ContainerDisturbedError, UnsuitableImageError
from imgcheck.facts.answers import Answer, read_answers
from imgcheck.facts.archive import collector_archive, collector_digest
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.contents import Contents
from imgcheck.facts.files import FileFacts
from imgcheck.facts.fixtures import content_of
from imgcheck.facts.kernels import KernelsFacts
from imgcheck.facts.layers import LayerFacts
from imgcheck.facts.loads import LoadFacts
from imgcheck.facts.model import ImageFacts, ImportFacts, Inventory
from imgcheck.facts.native import NativeFacts
from imgcheck.facts.os_packages import OsPackages
from imgcheck.facts.outside import outside_facts, roots_of
from imgcheck.facts.outside_model import OutsideFacts
from imgcheck.facts.probes import ProbeFacts
from imgcheck.facts.questions import QuestionFacts
from imgcheck.facts.script_runs import ScriptRuns
from imgcheck.facts.selfchecks import SelfCheck
from imgcheck.facts.statements import StatementFacts
from imgcheck.facts.strict import FactModel
from imgcheck.facts.surroundings import Surroundings
from imgcheck.facts.sweeping import OnAdvance, sweep
from imgcheck.facts.together import TogetherFacts
from imgcheck.facts.toolchain import ToolchainFacts
from imgcheck.facts.watching import SILENCE, watched
from imgcheck.outcome import Source

ReadContents = Callable[[ImageFacts, tuple[str, ...]], Contents]
ModelT = TypeVar("ModelT", bound=FactModel)

PYTHONS: Final = ("python3", "python")
FILE_ANSWERS: Final = {
    "owner": "owners",
    "contested": "contested",
    "dangling": "dangling",
    "unowned": "unowned",
    "foreign": "foreign",
    "beyond": "beyond",
    "leftover": "leftovers",
}
KERNEL_SECONDS: Final = 300
"""What compiling one kernel for all capabilities may take."""
_STDERR_LIMIT: Final = 16384
_PREAMBLE: Final = 1 << 20
_KILLED: Final = (137, 143)
"""Statuses of a process that KILL or TERM ended."""
_SECONDS_TO_END: Final = 2.0
_NOT_EXECUTED: Final = (126, 127)
"""What an init and a shell exit with for a program that cannot be executed, or is not there (POSIX)."""


def _no_advance(done: int, total: int | None) -> None:
    """Nobody is watching."""


@dataclass
class Collector:
    """Collects from one engine, through one cache; remembers which facts were reused and what went wrong aside."""

    engine: Runner
    cache: FactsCache
    runtime: Runtime = field(default_factory=Runtime)
    fixtures: Mapping[str, str] = field(default_factory=dict)
    """By the path of a mount, the folder of this machine that is there."""
    interpreter: str | None = None
    jobs: int | None = None
    deep: bool = False
    read_contents: ReadContents | None = None
    """Of the layers; None where what Python tells of distributions is believed."""
    vantage: int | None = None
    """A user that imports are tried as as well."""
    still: bool = False
    """What files alone tell is not kept as what a container told."""
    libraries: Mapping[str, bytes] = field(default_factory=dict)
    """Shared libraries that the image's programs find, for as long as their container lives."""
    sources: list[Source] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    _pythons: dict[str, str] = field(default_factory=dict)

    def inventory(self, image: ImageFacts) -> Inventory:
        """The interpreter and the distributions of an image.

        Raises:
            UnsuitableImageError: there is no Python to ask.
            CollectorError: the answer is not whole.
        """
        return self._facts("inventory", image, {}, Inventory, self._inventory)

    def imports(
        self,
        image: ImageFacts,
        options: Imports,
        advance: OnAdvance = _no_advance,
        *,
        only: tuple[str, ...] = (),
        story: bool = False,
    ) -> ImportFacts:
        """The import sweep, or `only` these modules; `story` asks for all that they do. Raises as `inventory`."""
        request = {
            "groups": ["module", "vendored", *(["test", "conftest"] if options.tests else [])],
            "exclude": list(options.exclude),
            "timeout": options.timeout,
            "jobs": self.jobs or options.jobs,
            "memory": options.memory,
            "method": "story" if story else options.method,
            "only": list(only),
        }
        key = {name: value for name, value in request.items() if name != "jobs"}
        return self._facts("imports", image, key, ImportFacts, lambda image: self._imports(image, request, advance))

    def as_stranger(self) -> Collector:
        """One that runs images as the user of `vantage`, in group 0: so do clusters that give each job a uid."""
        runtime = self.runtime.model_copy(update={"user": f"{self.vantage}:0"})
        return replace(self, runtime=runtime, vantage=None)

    def with_libraries(self, image: ImageFacts, libraries: Mapping[str, bytes]) -> Collector:
        """One whose containers hold further shared libraries, after all that the image has in LD_LIBRARY_PATH."""
        variable = "LD_LIBRARY_PATH"
        variables = dict(one.partition("=")[::2] for one in image.env) | dict(self.runtime.env)
        places = ":".join(filter(None, (variables.get(variable, ""), FOLDER)))
        runtime = self.runtime.model_copy(update={"env": {**self.runtime.env, variable: places}})
        return replace(self, runtime=runtime, libraries=libraries)

    def statements(self, image: ImageFacts) -> StatementFacts:
        """Import statements that nothing installed provides; no module is run. Raises as `inventory` does."""
        return self._facts("statements", image, {}, StatementFacts, self._statements)

    def files(self, image: ImageFacts) -> FileFacts:
        """What is listed against what is there; `deep` hashes everything. Raises as `inventory` does."""
        return self._facts("files", image, {"deep": self.deep}, FileFacts, self._files)

    def surroundings(self, image: ImageFacts, asked: Mapping[str, list[str]]) -> Surroundings:
        """Variables, paths, scripts and entry points, and what is `asked` for. Raises as `inventory` does."""
        return self._facts("surroundings", image, asked, Surroundings, lambda image: self._surroundings(image, asked))

    def script_runs(self, image: ImageFacts, options: Scripts) -> ScriptRuns:
        """Each console script, asked for help. Raises as `inventory` does."""
        key = options.model_dump(mode="json")
        request = {"job": "scripts", **key, "jobs": self.jobs or Imports().jobs}
        return self._facts("scripts", image, key, ScriptRuns, lambda image: self._script_runs(image, request))

    def together(self, image: ImageFacts, names: tuple[str, ...], timeout: float) -> TogetherFacts:
        """Modules imported in one process, in this order and in the reversed. Raises as `inventory` does."""
        request = {"job": "together", "names": list(names), "timeout": timeout}
        key = {"names": list(names), "timeout": timeout}
        return self._facts("together", image, key, TogetherFacts, lambda image: self._together(image, request))

    def loads(self, image: ImageFacts, paths: Mapping[str, tuple[str, ...]], timeout: float) -> LoadFacts:
        """Libraries, by the module whose import tried them in vain, tried once more. Raises as `inventory` does."""
        options = {"paths": {module: list(files) for module, files in paths.items()}, "timeout": timeout}
        return self._facts("library loads", image, options, LoadFacts, lambda image: self._loads(image, options))

    def native(self, image: ImageFacts, folders: tuple[str, ...]) -> NativeFacts:
        """Native files of distributions and of `folders`; nothing is loaded or run. Raises as `inventory` does."""
        options = {"folders": list(folders)}
        return self._facts("native", image, options, NativeFacts, lambda image: self._native(image, options))

    def questions(self, image: ImageFacts, questions: Mapping[str, tuple[str, ...]], timeout: float) -> QuestionFacts:
        """Expressions that imported modules answer, by module. Raises as `inventory` does."""
        options = {"questions": {module: list(asked) for module, asked in questions.items()}, "timeout": timeout}
        return self._facts(
            "what modules say of themselves", image, options, QuestionFacts, lambda image: self._asked(image, options)
        )

    def os_packages(self, image: ImageFacts) -> OsPackages:
        """What dpkg, apk or rpm say is installed. Raises as `inventory` does."""
        return self._facts(
            "OS packages", image, {}, OsPackages, lambda image: self._one(image, "os-packages", OsPackages)
        )

    def toolchain(self, image: ImageFacts) -> ToolchainFacts:
        """What is there for code that is compiled while a program runs. Raises as `inventory` does."""
        return self._facts(
            "toolchain", image, {}, ToolchainFacts, lambda image: self._one(image, "toolchain", ToolchainFacts)
        )

    def kernels(self, image: ImageFacts, kernels: tuple[Kernel, ...], capabilities: tuple[str, ...]) -> KernelsFacts:
        """Kernels compiled for their signatures, and those that would compile later. Raises as `inventory` does."""
        options = {
            "kernels": [one.model_dump(mode="json") for one in kernels],
            "capabilities": list(capabilities),
            "timeout": KERNEL_SECONDS,
        }
        return self._facts("kernels", image, options, KernelsFacts, lambda image: self._kernels(image, options))

    def layers(self, image: ImageFacts) -> LayerFacts:
        """What the layers say of installed distributions. Raises CollectorError where they cannot be read."""
        key = {"id": image.digest}  # two images of the same layers may differ in history
        return self._facts("layers", image, key, LayerFacts, self.engine.layers)

    def outside(self, image: ImageFacts, inventory: Inventory, mounts: tuple[str, ...]) -> OutsideFacts:
        """What the layers hold of the distributions. Raises CollectorError where they cannot be read."""
        read = self.read_contents
        if read is None:
            raise CollectorError("an environment without an image has no layers")
        python = self._python(image)
        roots = (*roots_of(inventory), python)
        return self._facts(
            "distributions in the layers",
            image,
            {"id": image.digest, "python": python, "path": list(inventory.interpreter.path), "roots": list(roots)},
            OutsideFacts,
            lambda image: outside_facts(read(image, roots), inventory, python, mounts),
        )

    def probe(self, image: ImageFacts, probe: Probe, *, afresh: bool = False) -> ProbeFacts:
        """One probe in a container of its own; `afresh` passes over what was kept. Raises as `inventory` does."""
        if probe.user is not None and probe.user != self.runtime.user:
            runtime = self.runtime.model_copy(update={"user": probe.user})
            return replace(self, runtime=runtime).probe(image, probe, afresh=afresh)
        definition = probe.model_dump(mode="json")
        return self._facts(
            "probe",
            image,
            definition,
            ProbeFacts,
            lambda image: self._probe(image, definition),
            afresh=afresh,
            worth_keeping=lambda facts: facts.reached == "done",  # a busy machine may be why it failed
        )

    def selfcheck(self, image: ImageFacts, value: str, options: SelfChecks) -> SelfCheck:
        """One self-check in a container of its own. Raises as `inventory` does."""
        env = {"CUDA_VISIBLE_DEVICES": "", **options.env}
        probe = Probe(name="selfcheck", run=(value,), within=options.within, env=env)
        definition = {"value": value, "probe": probe.model_dump(mode="json")}
        return self._facts(
            f"self-check {value}",
            image,
            definition,
            SelfCheck,
            lambda image: self._one(image, "selfcheck", SelfCheck, **definition),
            worth_keeping=lambda facts: facts.outcome == "returned",
        )

    def _facts(
        self,
        what: str,
        image: ImageFacts,
        options: Mapping[str, Any],
        model: type[ModelT],
        collect: Callable[[ImageFacts], ModelT],
        *,
        afresh: bool = False,
        worth_keeping: Callable[[ModelT], bool] = lambda _: True,
    ) -> ModelT:
        """The facts of this content, reused or collected now."""
        key: dict[str, Any] = {
            "what": what,
            "image": image.content,
            "collector": collector_digest(),
            "runtime": self.runtime.model_dump(mode="json"),
            "python": self.interpreter,
            "options": dict(options),
            "fixtures": {path: content_of(source) for path, source in sorted(self.fixtures.items())},
            "libraries": {name: hashlib.sha256(data).hexdigest() for name, data in sorted(self.libraries.items())},
        }
        if self.still:
            key["still"] = True
        title = f"{what} {options['name']}" if what == "probe" else what
        known = image.digest and not afresh  # without a digest nothing is the same
        entry = self.cache.find(key, self._noticed) if known else None
        if entry:
            try:
                facts = model.model_validate(entry.facts)
            except ValidationError:
                pass  # kept by another version of the model: collect afresh
            else:
                self._note(title, image, entry.collected_at, entry.seconds, reused=True)
                return facts
        began = time.monotonic()
        facts = collect(image)
        seconds = round(time.monotonic() - began, 3)
        if image.digest and worth_keeping(facts):
            problem = self.cache.keep(key, facts.model_dump(mode="json"), seconds)
            if problem:
                self._noticed(problem)
        self._note(title, image, "", seconds, reused=False)
        return facts

    def _noticed(self, problem: str) -> None:
        if problem not in self.notices:
            self.notices.append(problem)

    def _note(self, what: str, image: ImageFacts, collected_at: str, seconds: float, *, reused: bool) -> None:
        source = Source(
            what=what, image=image.digest or image.reference, reused=reused, collected_at=collected_at, seconds=seconds
        )
        self.sources.append(source)

    # --- the jobs

    def _inventory(self, image: ImageFacts) -> Inventory:
        parts: dict[str, Any] = {"distributions": []}
        for answer in self._ask(image, {"job": "inventory"}):
            if answer.kind == "interpreter":
                parts["interpreter"] = answer.fields["facts"]
            elif answer.kind == "distribution":
                parts["distributions"].append(answer.fields["facts"])
            elif answer.kind == "cpu":
                parts["cpu_seconds"] = answer.fields["seconds"]
        return _typed(Inventory, parts)

    def _imports(self, image: ImageFacts, options: Mapping[str, Any], advance: OnAdvance) -> ImportFacts:
        parts = sweep(lambda asked: self._ask(image, {"job": "imports", "options": asked}), options, advance)
        return _typed(ImportFacts, parts)

    def _statements(self, image: ImageFacts) -> StatementFacts:
        parts: dict[str, Any] = {"unprovided": []}
        for answer in self._ask(image, {"job": "statements"}):
            if answer.kind == "statement":
                parts["unprovided"].append(answer.fields["facts"])
            elif answer.kind == "summary":
                summary = answer.fields["facts"]
                parts |= {"read": summary["read"], "unread": summary["unread"], "cpu_seconds": summary["cpu"]}
        return _typed(StatementFacts, parts)

    def _files(self, image: ImageFacts) -> FileFacts:
        parts: dict[str, Any] = {plural: [] for plural in FILE_ANSWERS.values()}
        for answer in self._ask(image, {"job": "files", "deep": self.deep}):
            facts = answer.fields["facts"]
            if answer.kind == "summary":
                parts |= facts
            else:
                parts[FILE_ANSWERS[answer.kind]].append(facts["path"] if answer.kind == "leftover" else facts)
        return _typed(FileFacts, parts)

    def _surroundings(self, image: ImageFacts, asked: Mapping[str, list[str]]) -> Surroundings:
        found = [one for one in self._ask(image, {"job": "surroundings", **asked}) if one.kind == "surroundings"]
        if len(found) != 1:
            raise CollectorError(f"the surroundings were asked for, and {len(found)} answers came")
        return _typed(Surroundings, found[0].fields["facts"])

    def _script_runs(self, image: ImageFacts, request: Mapping[str, Any]) -> ScriptRuns:
        runs = [answer.fields["facts"] for answer in self._ask(image, request) if answer.kind == "script"]
        return _typed(ScriptRuns, {"runs": sorted(runs, key=lambda one: str(one.get("name")))})

    def _together(self, image: ImageFacts, request: Mapping[str, Any]) -> TogetherFacts:
        runs = [answer.fields["facts"] for answer in self._ask(image, request) if answer.kind == "together"]
        if len(runs) != 2:
            raise CollectorError(f"modules were to be imported in two orders, and {len(runs)} answers came")
        return _typed(TogetherFacts, {"runs": runs})

    def _loads(self, image: ImageFacts, options: Mapping[str, Any]) -> LoadFacts:
        tries = [one.fields["facts"] for one in self._ask(image, {"job": "loads", **options}) if one.kind == "load"]
        wanted = sum(map(len, options["paths"].values()))
        if wanted != len(tries):
            raise CollectorError(f"{wanted} libraries were to be loaded, and {len(tries)} answers came")
        return _typed(LoadFacts, {"tries": tries})

    def _asked(self, image: ImageFacts, options: Mapping[str, Any]) -> QuestionFacts:
        asked = [
            one.fields["facts"] for one in self._ask(image, {"job": "questions", **options}) if one.kind == "asked"
        ]
        if len(asked) != len(options["questions"]):
            raise CollectorError(f"{len(options['questions'])} modules were to be asked, and {len(asked)} answers came")
        return _typed(QuestionFacts, {"asked": asked})

    def _native(self, image: ImageFacts, options: Mapping[str, Any]) -> NativeFacts:
        files: list[Any] = []
        summary: dict[str, Any] = {}
        for answer in self._ask(image, {"job": "native", **options}):
            if answer.kind == "file":
                files.append(answer.fields["facts"])
            elif answer.kind == "summary":
                summary = answer.fields["facts"]
        return _typed(NativeFacts, {"files": files, **summary})

    def _kernels(self, image: ImageFacts, options: Mapping[str, Any]) -> KernelsFacts:
        parts: dict[str, Any] = {"compiled": [], "lazy": []}
        for answer in self._ask(image, {"job": "kernels", **options}):
            if answer.kind in parts:
                parts[answer.kind].append(answer.fields["facts"])
        if len(parts["compiled"]) != len(options["kernels"]):
            raise CollectorError(f"{len(options['kernels'])} kernels were asked for, {len(parts['compiled'])} came")
        return _typed(KernelsFacts, parts)

    def _one(self, image: ImageFacts, job: str, model: type[ModelT], **request: Any) -> ModelT:
        """A job that gives one answer."""
        found = [answer.fields["facts"] for answer in self._ask(image, {"job": job, **request})]
        if len(found) != 1:
            raise CollectorError(f"{job} gave {len(found)} answers")
        return _typed(model, found[0])

    def _probe(self, image: ImageFacts, definition: Mapping[str, Any]) -> ProbeFacts:
        found = [one for one in self._ask(image, {"job": "probe", "probe": definition}) if one.kind == "probe"]
        if len(found) != 1:
            raise CollectorError(f"probe {definition['name']} gave {len(found)} answers")
        return _typed(ProbeFacts, found[0].fields["facts"])

    # --- one container, one answer

    def _ask(self, image: ImageFacts, request: Mapping[str, Any]) -> Iterator[Answer]:
        python = self._python(image)
        secret = secrets.token_hex(16)
        whole = {**request, "secret": secret, "python": python, "scratch": f"{FOLDER}/scratch"}
        spec = self._spec(image, python, json.dumps(whole).encode() + b"\n")
        errors = _Tail()
        with self.engine.run(spec) as container, watched(container, SILENCE) as watch:
            try:
                chunks = watch.heard(_stdout(container, errors))
                if spec.keep_entrypoint:
                    chunks = _after_entrypoint(chunks, secret.encode())
                yield from _untroubled(read_answers(chunks, secret))
            except ContainerDisturbedError:
                raise
            except CollectorError as error:
                if watch.silent:
                    raise _fell_silent() from None
                if spec.keep_entrypoint and not error.remedy:
                    error.remedy = "runtime.entrypoint is kept: the image's ENTRYPOINT must exec what it is given"
                raise _explained(error, _ended(container), errors.text, python) from None

    def _spec(self, image: ImageFacts, python: str, stdin: bytes) -> ContainerSpec:
        runtime = self.runtime
        return ContainerSpec(
            image=image.digest,
            command=(python, "-I", "-S", "-B", f"{FOLDER}/collector.pyz"),
            keep_entrypoint=runtime.entrypoint == "kept",
            files={"collector.pyz": collector_archive(), **self.libraries},
            stdin=stdin,
            user=runtime.user,
            groups=runtime.groups,
            workdir=runtime.workdir,
            env=runtime.env,
            read_only=runtime.read_only,
            mounts=self._mounts(),
            binds=tuple(BindSpec(source=source, path=path) for path, source in self.fixtures.items()),
            shm=runtime.shm,
            memory=runtime.memory,
            cpus=runtime.cpus,
            pids=runtime.pids,
            ulimits=tuple(Ulimit(name, *soft_and_hard(limit)) for name, limit in runtime.ulimits.items()),
            hostname=runtime.hostname,
            network=runtime.network,
        )

    def _mounts(self) -> tuple[MountSpec, ...]:
        empty = (one for one in self.runtime.mounts if one.path not in self.fixtures)
        return (
            *(MountSpec(path=one.path, read_only=one.read_only) for one in empty),
            *(MountSpec(path=one.path, size=one.size) for one in self.runtime.tmpfs),
        )

    def _python(self, image: ImageFacts) -> str:
        """The interpreter that the image's programs get: the first on PATH, unless the contract names one."""
        known = self._pythons.get(image.digest)
        if known:
            return known
        names = (self.interpreter,) if self.interpreter else PYTHONS
        found = self.engine.find_executable(image, names)
        if found.path is None:
            raise _without_python(image, self.interpreter, found)
        for path, target in found.dangling:
            self.notices.append(
                f"{path} is a link to {target}, which is not in the image: {found.path} was asked instead"
            )
        self._pythons[image.digest] = found.path
        return found.path


def _without_python(image: ImageFacts, named: str | None, found: Executable) -> UnsuitableImageError:
    lacks = f"{image.reference} has no {named or 'python3 on its PATH'}"
    if found.dangling:
        path, target = found.dangling[0]
        return UnsuitableImageError(
            f"{lacks}: {path} is a link to {target}, which is not in the image",
            remedy="copy the interpreter along, to the same path, or make the virtual environment in the final stage",
        )
    return UnsuitableImageError(
        lacks, remedy="name the interpreter in the contract, python: /opt/conda/bin/python, or check another image"
    )


class _Tail:
    """The last part of a stream."""

    def __init__(self) -> None:
        self._data = b""

    def add(self, data: bytes) -> None:
        self._data = (self._data + data)[-_STDERR_LIMIT:]

    @property
    def text(self) -> str:
        return self._data.decode("utf-8", "replace").strip()


def _stdout(container: Container, errors: _Tail) -> Iterator[bytes]:
    for chunk in container.output():
        if chunk.stream == 1:
            yield chunk.data
        else:
            errors.add(chunk.data)


def _after_entrypoint(chunks: Iterable[bytes], secret: bytes) -> Iterator[bytes]:
    """From the first line on that is the collector's: an entrypoint may say something before it starts the command."""
    before = b""
    chunks = iter(chunks)
    for chunk in chunks:
        before = (before + chunk)[-_PREAMBLE:]
        if secret in before:
            yield before[before.rfind(b"\n", 0, before.index(secret)) + 1 :]
            break
    yield from chunks


def _ended(container: Container) -> Ended:
    """How it ended, once nobody reads it any more: what does not end by itself is ended."""
    stopped = threading.Event()

    def stop() -> None:
        stopped.set()
        container.stop()

    timer = threading.Timer(_SECONDS_TO_END, stop)
    timer.start()
    try:
        return replace(container.wait(), stopped=stopped.is_set())
    finally:
        timer.cancel()


def _fell_silent() -> CollectorError:
    return CollectorError(
        f"the collector fell silent for {SILENCE:.0f} seconds, and its container was ended",
        remedy="look for what stops processes of others as it is imported, or for a container that was paused",
    )


def _untroubled(answers: Iterable[Answer]) -> Iterator[Answer]:
    """The answers, as long as the collector has no trouble with the image; signs of life are left out."""
    for answer in answers:
        if answer.kind == "alive":
            continue
        if answer.kind == "trouble":
            raise CollectorError(str(answer.fields.get("message")))
        yield answer


def _typed(model: type[ModelT], parts: Mapping[str, Any]) -> ModelT:
    try:
        return model.model_validate(parts)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise CollectorError(f"the collector's answer does not fit: {place}: {first['msg']}") from None


def _explained(error: CollectorError, ended: Ended, stderr: str, python: str) -> Exception:
    """Why an answer is not whole, as far as the container's end tells."""
    if "too old: Python" in stderr or "Unknown option: -I" in stderr:
        return UnsuitableImageError(
            f"{python} in the image is too old for the collector, which needs Python 3.8 or newer",
            remedy="name a newer interpreter in the contract under python:",
            details=stderr,
        )
    if ended.exit_code in _NOT_EXECUTED and "exec " in stderr:
        return UnsuitableImageError(
            f"{python} in the image cannot be executed: it is built for another machine, or its loader is missing",
            remedy="check an image for this engine's platform, or install emulation (binfmt) on its host",
            details=stderr,
        )
    if ended.out_of_memory:
        return CollectorError(
            f"{error.message}: the container ran out of memory", remedy="raise runtime.memory in the contract"
        )
    if ended.exit_code in _KILLED and not ended.stopped:
        message = (
            f"{error.message}: its process was killed (status {ended.exit_code}) by somebody outside, by the engine's "
            "machine, or by a program of the image"
        )
        return CollectorError(
            message, remedy=error.remedy or "see the engine's log, and run this again", details=stderr
        )
    how = "had to be ended" if ended.stopped else f"ended with status {ended.exit_code}"
    return CollectorError(f"{error.message} (its process {how})", remedy=error.remedy, details=stderr)

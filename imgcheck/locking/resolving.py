"""One resolution in a container of the base: requirement files in, a lock or the resolver's own words out."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from imgcheck.diagnosis.versions import parse_version
from imgcheck.engines.engine import FOLDER, BindSpec, Container, ContainerSpec, Engine, MountSpec
from imgcheck.errors import CollectorError, ResolverTimeoutError, UsageError
from imgcheck.facts.model import Distribution, ImageFacts, Inventory
from imgcheck.locking.lockfile import Lock
from imgcheck.locking.sources import CA_PATH, Sources
from imgcheck.locking.tools import Resolver, is_whole
from imgcheck.locking.writing import write_whole

CONSTRAINTS: Final = "imgcheck-constraints.txt"
"""Beside the requirement files, so that messages and comments name it shortly."""
_MEMORY: Final = "/.imgcheck-memory"
_LINE_LIMIT: Final = 32 * 2**20


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is to be resolved.

    Args:
        inputs: paths of the requirement files, relative to the folder of `texts`.
        texts: every file that they need, by relative path.
        constraints: the merged constraints.
        further: relative paths of further constraint files among `texts`.
        seed: the lock as it is, whose versions are preferred.
        arguments: further options of the resolver.
    """

    inputs: tuple[str, ...]
    texts: Mapping[str, str]
    constraints: str
    further: tuple[str, ...] = ()
    seed: str = ""
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Resolution:
    """The resolver's answer. `stand_ins` are sha256 digests of wheels that stood for the base's distributions."""

    solved: bool
    text: str
    log: str
    stand_ins: frozenset[str] = field(default_factory=frozenset)


@dataclass
class _Session:
    """A container that answers, while it is open."""

    stack: ExitStack = field(default_factory=ExitStack)
    container: Container | None = None
    lines: Iterator[bytes] = field(default_factory=lambda: iter(()))
    secret: str = ""
    kept: bool = False

    def close(self) -> None:
        self.container = None
        self.stack.close()


@dataclass(frozen=True, kw_only=True)
class Bench:
    """Where resolutions run: the base, its Python, the tools, and where packages come from.

    Args:
        compiled: where the resolver's byte code is kept, as this very image's Python wrote it; None for nowhere.
        until: the moment, by `time.monotonic`, at which a resolution ends unfinished; None for none.
        on_line: called with each line of the resolver's words as it comes.
    """

    engine: Engine
    base: ImageFacts
    inventory: Inventory
    python: str
    resolver: Resolver
    tools: Mapping[str, bytes]
    sources: Sources
    network: str = "bridge"
    compiled: Path | None = None
    on_line: Callable[[str], None] | None = None
    until: float | None = None
    _session: _Session = field(default_factory=_Session, compare=False, repr=False)

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """One container for all that is asked meanwhile: making one takes longer than most answers do."""
        self._session.kept = True
        try:
            yield
        finally:
            self._session.kept = False
            self._session.close()

    def mark_of(self, question: Question) -> str:
        """The same for the same question asked in the same way. A digest, as settings may hold credentials."""
        said = (sorted(question.texts.items()), question.inputs, question.constraints, question.further, question.seed)
        settings = (self.resolver, sorted(self.tools), sorted(self.sources.environment.items()), question.arguments)
        return hashlib.sha256(repr((said, settings, self.sources.folders, self.network)).encode()).hexdigest()

    def resolve(self, question: Question) -> Resolution:
        """One answer.

        Raises:
            CollectorError: the container gives no whole answer.
            ResolverTimeoutError: it took until `until`.
        """
        session = self._session
        try:
            if session.container is None:
                self._start(session)
            return self._answer(session, question)
        except BaseException:
            session.close()
            raise
        finally:
            if not session.kept:
                session.close()

    def _start(self, session: _Session) -> None:
        left = None if self.until is None else self.until - time.monotonic()
        if left is not None and left <= 0:
            raise _late()
        session.secret = secrets.token_hex(16)
        request = {
            "secret": session.secret,
            "folder": FOLDER,
            "scratch": f"{FOLDER}/scratch",
            "memory": _MEMORY,
            "resolver": self.resolver,
            "environment": dict(self.sources.environment),
            "stubs": [_stub(one) for one in stand_ins(self.inventory)],
            "seconds": left,
        }
        container = session.stack.enter_context(self.engine.run(self._spec(json.dumps(request).encode() + b"\n")))
        session.container, session.lines = container, _lines(container)

    def _answer(self, session: _Session, question: Question) -> Resolution:
        asked = {
            "texts": {**question.texts, CONSTRAINTS: question.constraints},
            "arguments": [*self._arguments(question), *question.arguments],
            "seed": question.seed,
        }
        assert session.container is not None
        session.container.send(json.dumps(asked).encode() + b"\n")
        log: list[str] = []
        for line in session.lines:
            told = _told(line, session.secret)
            match told.get("kind"):
                case "late":
                    raise _late()
                case "compiled":
                    self._keep(str(told["archive"]))
                case "end":
                    return Resolution(
                        solved=told["status"] == 0,
                        text=str(told["text"]),
                        log="\n".join(log),
                        stand_ins=frozenset(map(str, told["digests"])),
                    )
                case "log":
                    log.append(str(told["line"]))
                    if self.on_line:
                        self.on_line(log[-1])
                case _:
                    pass
        ended = session.container.wait()
        raise CollectorError(
            f"the resolver in {self.base.reference} gave no whole answer (it ended with status {ended.exit_code})",
            details="\n".join(log[-20:]),
        )

    def _keep(self, archive: str) -> None:
        """Only time is lost where it cannot be kept. Nothing of it is ever unpacked on this machine."""
        if self.compiled is not None:
            with suppress(OSError, ValueError, UsageError):
                self.compiled.parent.mkdir(parents=True, exist_ok=True)
                write_whole(self.compiled, base64.b64decode(archive, validate=True))

    def _arguments(self, question: Question) -> Iterator[str]:
        yield from question.inputs
        for name in (CONSTRAINTS, *question.further):
            yield from ("--constraint", name)
        if self.resolver == "pip-tools":
            yield from (
                "--allow-unsafe",
                "--strip-extras",
                "--no-header",
                "--no-emit-index-url",
                "--no-emit-find-links",
            )
            yield from ("--no-emit-trusted-host", "--resolver=backtracking", "--newline=lf")
            return
        yield from ("--python", self.python, "--no-header", "--no-python-downloads", "--emit-index-annotation")
        yield from self._indexes_for_uv()

    def _indexes_for_uv(self) -> Iterator[str]:
        """Uv does not read pip's variables."""
        names = {
            "PIP_INDEX_URL": "--index-url",
            "PIP_EXTRA_INDEX_URL": "--extra-index-url",
            "PIP_FIND_LINKS": "--find-links",
        }
        for variable, option in names.items():
            for value in self.sources.environment.get(variable, "").split():
                yield from (option, value)
        if self.sources.environment.get("PIP_NO_INDEX"):
            yield "--no-index"

    def _spec(self, stdin: bytes) -> ContainerSpec:
        put = {f"tools/{name}": content for name, content in self.tools.items()}
        put["lock.py"] = _inside()
        if self.compiled is not None and is_whole(self.compiled):
            put["compiled.zip"] = self.compiled.read_bytes()
        if self.sources.certificates:
            put[Path(CA_PATH).name] = self.sources.certificates
        return ContainerSpec(
            image=self.base.digest,
            command=(self.python, "-B", f"{FOLDER}/lock.py"),
            files=put,
            stdin=stdin,
            workdir=FOLDER,
            network=self.network,
            mounts=(MountSpec(path=_MEMORY),),
            binds=tuple(BindSpec(source=one, path=one) for one in self.sources.folders),
        )


def _told(line: bytes, secret: str) -> dict[str, Any]:
    """A line of the program's own; empty for anything else that was written there."""
    try:
        told = json.loads(line)
    except ValueError:
        return {}
    return told if isinstance(told, dict) and told.get("secret") == secret else {}


def _late() -> ResolverTimeoutError:
    return ResolverTimeoutError("the time for it was over")


def stand_ins(inventory: Inventory) -> tuple[Distribution, ...]:
    """What the base has, the first of each name on sys.path."""
    first: dict[str, Distribution] = {}
    for one in inventory.distributions:
        first.setdefault(one.canonical_name, one)
    return tuple(one for one in first.values() if parse_version(one.version) and not one.problem)


def preferring(inventory: Inventory, lock: Lock) -> str:
    """A seed: what is preferred to newer versions is what the base has, then what a lock says."""
    have = {one.canonical_name: one.version for one in stand_ins(inventory)}
    locked = [one.text for one in lock.entries if one.name not in have and one.version]
    return "\n".join([*(f"{name}=={version}" for name, version in sorted(have.items())), *locked, ""])


def _stub(one: Distribution) -> dict[str, str]:
    lines = ["Metadata-Version: 2.1", f"Name: {one.name}", f"Version: {one.version}"]
    lines += [f"Requires-Dist: {text}" for text in one.requires_dist]
    lines += [f"Provides-Extra: {text}" for text in one.provides_extra]
    return {"name": one.canonical_name, "version": one.version, "metadata": "\n".join(lines) + "\n"}


@cache
def _inside() -> bytes:
    return files("imgcheck.locking").joinpath("inside.py").read_bytes()


def _lines(container: Container) -> Iterator[bytes]:
    """Standard output by lines, bounded."""
    rest = b""
    for chunk in container.output():
        if chunk.stream != 1:
            continue
        rest += chunk.data
        *whole, rest = rest.split(b"\n")
        if len(rest) > _LINE_LIMIT:
            raise CollectorError("the resolver's answer has no end")
        yield from whole

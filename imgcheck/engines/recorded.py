"""What a collector on its own told of another environment, played again: the same answers to the same requests.

The file went through other hands, so it is taken whole or not at all: lines in their sequence, all of them, and none
changed. That holds against accidents; a file that is made up on purpose can tell anything.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from imgcheck.collector.standalone import FORMAT
from imgcheck.engines.engine import Chunk, ContainerSpec, Ended, Executable
from imgcheck.engines.local import only_containers
from imgcheck.errors import CollectorError, UntoldError, UsageError
from imgcheck.facts.answers import Answer, read_answers
from imgcheck.facts.archive import collector_digest
from imgcheck.facts.layers import LayerFacts
from imgcheck.facts.model import ImageFacts

_AGAIN: Final = "collect them again: imgcheck collector -o imgcheck-collector.pyz, and run that over there"
_CHUNK: Final = 1 << 20
_PASSING: Final = ("secret", "python", "scratch", "jobs")
"""Of a request what does not change the answer."""


@dataclass
class _Told:
    """Answers to one request; what failed has a status, and its last words."""

    lines: list[dict[str, Any]] = field(default_factory=list)
    status: int = 0
    words: str = ""
    whole: bool = True


@dataclass(frozen=True, kw_only=True)
class Recording:
    """One file of facts.

    Args:
        path: the file.
        python: the interpreter that they are of.
        environment: as the collector's `environment` tells.
        variables: those that were set for it.
        answers: by request.
    """

    path: Path
    python: str
    environment: Mapping[str, Any]
    variables: Mapping[str, str]
    answers: Mapping[str, _Told]


def read_recording(path: Path) -> Recording:
    """The facts of a file that the standalone collector wrote.

    Raises:
        UsageError: it cannot be read, is none, was cut, reordered or changed, or is of another version's collector.
    """
    try:
        with path.open("rb") as stream:
            secret = _secret(stream.readline(1 << 20), path)
            stream.seek(0)
            digest = _Digest(iter(lambda: stream.read(_CHUNK), b""))
            answers = iter(read_answers(digest, secret))
            head = next(answers, None)
            if head is None or head.kind != "recording" or head.fields["format"] != FORMAT:
                raise UsageError(f"{path}: holds no facts of this format", remedy=_AGAIN)
            _verify_version(head, path)
            told = _by_request(answers)
            digest.verify()
            return Recording(
                path=path,
                python=str(head.fields["python"]),
                environment=_mapping(head.fields, "environment"),
                variables=_mapping(head.fields, "variables"),
                answers=told,
            )
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    except RecursionError:
        raise UsageError(f"{path}: is not what the collector wrote: it is nested too deep", remedy=_AGAIN) from None
    except (CollectorError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise UsageError(f"{path}: is not what the collector wrote: {error}", remedy=_AGAIN) from None


def _mapping(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    told = fields[name]
    if not isinstance(told, dict):
        raise TypeError(f"{name} is no mapping")
    return told


def _secret(line: bytes, path: Path) -> str:
    try:
        return str(json.loads(line)["secret"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(f"{path}: holds no facts of a collector", remedy=_AGAIN) from None


def _verify_version(head: Answer, path: Path) -> None:
    if head.fields["collector"] != collector_digest():
        raise UsageError(
            f"{path}: was written by the collector of imgcheck {head.fields['imgcheck']}, which is not this one's",
            remedy=_AGAIN,
        )


def _by_request(answers: Iterable[Answer]) -> dict[str, _Told]:
    found: dict[str, _Told] = {}
    current: _Told | None = None
    for one in answers:
        if one.kind == "request":
            current = found[key_of(_mapping(one.fields, "request"))] = _Told()
        elif current is None:
            raise ValueError(f"{one.kind!r} belongs to no request")
        elif one.kind == "answer":
            current.lines.append({"kind": str(one.fields["answer"]), **one.fields["fields"]})
        elif one.kind == "failed":
            current.whole = False
            current.status, current.words = int(one.fields["status"]), str(one.fields["words"])
        else:
            raise ValueError(f"a line of kind {one.kind!r}")
    return found


def key_of(request: Mapping[str, Any]) -> str:
    """A request by what decides its answer."""
    kept = {name: value for name, value in request.items() if name not in _PASSING}
    if isinstance(kept.get("options"), dict):
        kept["options"] = {name: value for name, value in kept["options"].items() if name not in _PASSING}
    return json.dumps(kept, sort_keys=True)


class _Digest:
    """Chunks as they pass, and whether the last line names the digest of those before it."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks
        self._digest = hashlib.sha256()
        self._last = b""

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            whole = self._last + chunk
            cut = whole.rfind(b"\n", 0, len(whole) - 1) + 1
            self._digest.update(whole[:cut])
            self._last = whole[cut:]
            yield chunk

    def verify(self) -> None:
        for _ in self:  # what follows the end
            pass
        last = json.loads(self._last)
        if not isinstance(last, dict) or last.get("sha256") != self._digest.hexdigest():
            raise ValueError("its lines were changed after they were written")


class RecordedContainer:
    """The Container protocol over answers that came long ago."""

    def __init__(self, told: _Told, secret: str) -> None:
        self._told = told
        self._secret = secret

    def send(self, data: bytes) -> None:
        """Nobody is there to read."""

    def output(self) -> Iterator[Chunk]:
        lines = self._told.lines
        if self._told.whole:
            lines = [*lines, {"kind": "end", "count": len(lines) + 1}]
        for number, line in enumerate(lines, 1):
            whole = {"secret": self._secret, "number": number, **line}
            yield Chunk(stream=1, data=json.dumps(whole).encode() + b"\n")
        yield Chunk(stream=2, data=self._told.words.encode())

    def wait(self) -> Ended:
        return Ended(exit_code=self._told.status)

    def stop(self) -> None:
        """It has ended long ago."""


class RecordedRunner:
    """Answers what was asked over there, and nothing else."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.left_out: set[str] = set()

    def find_executable(self, _image: ImageFacts, _names: tuple[str, ...]) -> Executable:
        return Executable(self._recording.python)

    def layers(self, _image: ImageFacts) -> LayerFacts:
        raise CollectorError("an environment without an image has no layers")

    def close(self) -> None:
        """Nothing is open."""

    @contextmanager
    def run(self, spec: ContainerSpec) -> Iterator[RecordedContainer]:
        request = json.loads(spec.stdin)
        told = self._recording.answers.get(key_of(request))
        if told is None:
            raise UntoldError(
                f"{self._recording.path} does not tell it: the collector was not asked for {request['job']} this way",
                remedy="write the collector with --contract, so that it is asked what this contract needs; what "
                "follows from other answers needs an engine, or --here",
            )
        self.left_out |= only_containers(spec)
        if dict(spec.env) != dict(self._recording.variables):
            self.left_out.add("env")
        if spec.workdir:
            self.left_out.add("workdir")
        yield RecordedContainer(told, request["secret"])

"""The whole collector in one file, for an environment without imgcheck: `python imgcheck-collector.pyz > facts.jsonl`.

It expects: requests.json in its own archive, as `imgcheck collector` wrote it: the requests, and variables to set.
Results: answer lines as of one job (see channel.py), the first of kind "recording"; each request, then its answers,
which a process of its own gave; the last line counts them and holds their digest. Progress goes to standard error.
Floor: Python 3.8, Linux.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
from typing import Any, Dict, Iterator, Sequence

from imgcheck.collector.channel import Channel
from imgcheck.collector.environment import environment
from imgcheck.collector.leftovers import MARK, end_marked

FORMAT = 1
REQUESTS = "requests.json"
_WORDS = 4096
_USAGE = """usage: python {name} [--only JOB,JOB] > facts.jsonl

Tells what `imgcheck check --facts facts.jsonl` judges, of this Python: {python}
jobs: {jobs}
"""

Facts = Dict[str, Any]


def main(arguments: Sequence[str]) -> int:
    """The exit status; what a job could not tell is in the file, and no failure of this."""
    archive = os.path.abspath(arguments[0])
    with zipfile.ZipFile(archive) as opened:
        made = json.loads(opened.read(REQUESTS))
    jobs = list(dict.fromkeys(one["job"] for one in made["requests"]))
    chosen = _chosen(arguments[1:], jobs)
    if chosen is None:
        sys.stderr.write(_USAGE.format(name=arguments[0], python=sys.executable, jobs=", ".join(jobs)))
        return 0 if arguments[1:] in (["-h"], ["--help"]) else 2
    recording = _Recording(os.urandom(16).hex())
    told = environment()
    recording.send(
        "recording",
        format=FORMAT,
        imgcheck=made["imgcheck"],
        collector=made["collector"],
        python=sys.executable,
        variables=made["variables"],
        environment=told,
    )
    scratch = tempfile.mkdtemp(prefix="imgcheck-")
    mark = os.urandom(16).hex()
    try:
        for request in made["requests"]:
            if request["job"] in chosen:
                recording.add(archive, request, dict(os.environ, **made["variables"], **{MARK: mark}), scratch)
                end_marked(mark)
    finally:
        end_marked(mark)
        shutil.rmtree(scratch, ignore_errors=True)
    recording.finish()
    return 0


def _chosen(arguments: Sequence[str], jobs: Sequence[str]) -> list[str] | None:
    """None where the arguments make no sense, or ask for help."""
    if not arguments:
        return list(jobs)
    if len(arguments) != 2 or arguments[0] != "--only":
        return None
    names = arguments[1].split(",")
    return names if set(names) <= set(jobs) else None


class _Recording(Channel):
    """A channel that knows the digest of all that it sent."""

    def __init__(self, secret: str) -> None:
        super().__init__(secret)
        self._digest = hashlib.sha256()

    def add(self, archive: str, request: Facts, variables: dict[str, str], scratch: str) -> None:
        """A request, and what a process of its own answers."""
        sys.stderr.write("{} ...\n".format(request["job"]))
        self.send("request", request=request)
        secret = os.urandom(16).hex()
        whole = dict(request, secret=secret, python=sys.executable, scratch=tempfile.mkdtemp(dir=scratch))
        with tempfile.TemporaryFile(dir=scratch) as errors:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", archive, "--job"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=variables,
                start_new_session=True,
            )
            try:
                whole_answer = self._relay(process, whole, secret)
                status = process.wait()
            finally:
                _end(process)
            if not whole_answer or status:
                errors.seek(max(0, errors.seek(0, os.SEEK_END) - _WORDS))
                self.send("failed", status=status, words=errors.read().decode("utf-8", "replace"))

    def _relay(self, process: subprocess.Popen[bytes], request: Facts, secret: str) -> bool:
        """Whether the answer came to its end."""
        assert process.stdin
        assert process.stdout
        try:
            process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
            process.stdin.close()
        except OSError:  # it ended: its status tells
            pass
        for number, answer in enumerate(_answers(process.stdout, secret), 1):
            kind = answer.pop("kind")
            if answer.pop("number") != number:
                return False
            if kind == "end":
                return bool(answer["count"] == number)
            self.send("answer", answer=kind, fields=answer)
        return False

    def finish(self) -> None:
        self.send("end", count=self._sent + 1, sha256=self._digest.hexdigest())

    def _write(self, data: bytes) -> None:
        super()._write(data)
        self._digest.update(data)


def _answers(lines: Any, secret: str) -> Iterator[Facts]:
    for line in lines:
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            return
        if not isinstance(answer, dict) or answer.pop("secret", None) != secret:
            return
        yield answer


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass
    process.wait()
    if process.stdout:
        process.stdout.close()

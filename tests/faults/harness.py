"""imgcheck as a process of its own, watched while it works; and what it left when it is over."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from imgcheck.drafts import maker_of

PHASES: Mapping[str, str] = {
    "build": "Building",
    "collect": "Comparing the files",
    "import": "Importing every module",
    "probe": "Starting",
    "report": r"Starting [^\n]*: done",
}
"""By its phase, what a run says on standard error as it begins."""
DEADLINE = 90.0
ENGINE = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"


@dataclass(frozen=True)
class Ran:
    """How it ended. `left` names what it left, wherever."""

    code: int
    out: str
    err: str
    seconds: float
    left: tuple[str, ...]


@dataclass
class Place:
    """Folders of one run: nothing of another run is in them."""

    root: Path
    image: str
    contract: Path
    host: str = ENGINE
    """Where imgcheck is told to find the engine."""
    engine: str = ENGINE
    """Where it is."""
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("tmp", "cache", "out"):
            (self.root / name).mkdir(exist_ok=True)

    @property
    def report(self) -> Path:
        return self.root / "out" / "report.json"

    def check(self, *more: str) -> list[str]:
        few = (
            () if "--select" in more else ("--select", "missing-file,unimportable-module,crashing-import,failed-probe")
        )
        return ["imgcheck", "check", self.image, *self._common(), *few, *more]

    def build(self, context: Path, *more: str) -> list[str]:
        return ["imgcheck", "build", str(context), "--no-plan", *self._common(), *more]

    def _common(self) -> list[str]:
        return ["-c", str(self.contract), "--report", f"json={self.report}"]

    def start(self, command: Sequence[str], before: str = "") -> Running:
        """The command, in a mount namespace of its own after shell commands where there are any `before`."""
        if before:
            command = ["unshare", "--mount", "sh", "-ec", f"{before}\nexec {shlex.join(command)}"]
        return Running(self, command)

    def run(self, command: Sequence[str], before: str = "") -> Ran:
        return self.start(command, before).ended()

    def clean(self, *more: str) -> str:
        """As a person does, on the engine itself."""
        done = subprocess.run(
            ["imgcheck", "clean", str(self.report.parent), *more],
            capture_output=True,
            text=True,
            env={**self.variables(), "DOCKER_HOST": self.engine},
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def variables(self) -> dict[str, str]:
        return {
            **os.environ,
            "DOCKER_HOST": self.host,
            "TMPDIR": str(self.root / "tmp"),
            "IMGCHECK_CACHE_DIR": str(self.root / "cache"),
            "NO_COLOR": "1",
            **self.environment,
        }

    def left(self, pid: int) -> tuple[str, ...]:
        """All that the run of a process left, on the engine and on this machine."""
        found = [*on_the_engine(pid, self.engine)]
        found += [str(one) for one in (self.root / "tmp").iterdir() if not one.name.startswith("imgcheck-test")]
        found += [str(one) for name in ("cache", "out") for one in (self.root / name).rglob("*") if maker_of(one)]
        return tuple(found)


def build_of(place: Place, base: str, seconds: float = 0) -> list[str]:
    """The command that builds an image on a base with a step that is new each time, and takes so long."""
    place.contract.write_text(f'{place.contract.read_text()}base: {{image: "{base}"}}\n')
    context = place.root / "context"
    context.mkdir()
    (context / "Dockerfile").write_text(f"FROM {base}\nRUN sleep {seconds}; echo {uuid.uuid4()}\n")
    return place.build(context)


def on_the_engine(pid: int, engine: str) -> list[str]:
    """What carries the mark of a run by this process; others use the same engine meanwhile."""
    mark = re.compile(rf"[0-9a-f]{{8}}\.{pid}\.\d+\.\d+")
    asked = (
        ("ps", "-a", "--filter", "label=imgcheck", "--format", '{{.ID}} {{.Label "imgcheck.run"}}'),
        ("volume", "ls", "--filter", "label=imgcheck", "--format", '{{.Name}} {{.Label "imgcheck.run"}}'),
        ("network", "ls", "--filter", "label=imgcheck", "--format", "{{.Name}} {{.Labels}}"),
        ("images", "--filter", "reference=imgcheck/*", "--format", "{{.Repository}}:{{.Tag}}"),
    )
    lines = [line for one in asked for line in docker(*one, engine=engine).splitlines()]
    return [line for line in lines if mark.search(line)]


def dangling() -> set[str]:
    """Images without a name that imgcheck built."""
    return set(docker("images", "-q", "--filter", "dangling=true", "--filter", "label=imgcheck.version").split())


def docker(*arguments: str, engine: str = ENGINE) -> str:
    environment = {**os.environ, "DOCKER_HOST": engine}
    done = subprocess.run(["docker", *arguments], capture_output=True, text=True, check=True, env=environment)
    return done.stdout.strip()


class Running:
    """A run at work; its progress is read as it comes."""

    def __init__(self, place: Place, command: Sequence[str]) -> None:
        self.place = place
        self.began = time.monotonic()
        self._said = ""
        self._more = threading.Condition()
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=place.root,
            env=place.variables(),
            # shells start what runs in the background with SIGINT ignored, and so would this be
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        )
        self._out: list[str] = []
        self._readers = [threading.Thread(target=one, daemon=True) for one in (self._read_err, self._read_out)]
        for one in self._readers:
            one.start()

    def _read_err(self) -> None:
        assert self.process.stderr
        while data := self.process.stderr.readline():
            with self._more:
                self._said += data
                self._more.notify_all()

    def _read_out(self) -> None:
        assert self.process.stdout
        self._out.append(self.process.stdout.read())

    def until(self, pattern: str) -> Running:
        """Waits for words of its progress."""
        deadline = time.monotonic() + DEADLINE
        with self._more:
            while not re.search(pattern, self._said):
                assert self._more.wait(0.5) or self.process.poll() is None, f"it ended before: {self._said}"
                assert time.monotonic() < deadline, self._said
        return self

    def container(self) -> str:
        """The newest container that it runs."""
        deadline = time.monotonic() + DEADLINE
        while time.monotonic() < deadline:
            words = ("ps", "--filter", "label=imgcheck", "--format", '{{.ID}} {{.Label "imgcheck.run"}}')
            lines = docker(*words, engine=self.place.engine)
            for line in lines.splitlines():
                if f".{self.process.pid}." in line:
                    return line.split()[0]
            time.sleep(0.02)
        raise AssertionError(self._said)

    def send(self, number: signal.Signals) -> Running:
        self.process.send_signal(number)
        return self

    def ended(self, timeout: float = DEADLINE) -> Ran:
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        for one in self._readers:
            one.join(5)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream
            stream.close()
        left = self.place.left(self.process.pid)
        return Ran(code=code, out="".join(self._out), err=self._said, seconds=time.monotonic() - self.began, left=left)


def verdicts(report: Path) -> list[tuple[str, str, int, int]]:
    """What a report says, without times."""
    told = json.loads(report.read_text("utf-8"))
    return [(one["name"], one["state"], one["examined"], len(one.get("passed_over") or ())) for one in told["checks"]]


def is_whole_or_absent(report: Path) -> bool:
    if not report.exists():
        return True
    return "verdict" in json.loads(report.read_text("utf-8"))


def as_root() -> bool:
    return os.geteuid() == 0 and shutil.which("unshare") is not None

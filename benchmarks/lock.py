"""A lock in the base image against pip-tools alone on this machine; and `lock --check` against the builds that fail.

    python benchmarks/lock.py CONTRACT [REQUIREMENTS [BAD_REQUIREMENTS]]

Needs pip-tools in this environment. Every side begins with an empty pip cache, and imgcheck's tools fetched. The bad
builds are the example's two: stopped by the constraints in pip; and round them, which is built, looked into and broken.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

TRAIN = Path("dockerfiles/train")
GOOD, BAD = f"{TRAIN}/requirements.txt", f"{TRAIN}/requirements-bad.txt"


@dataclass(frozen=True)
class Run:
    """A command that ended."""

    seconds: float
    code: int
    output: str

    def row(self, name: str) -> str:
        return f"{name:<30} {self.seconds:7.1f} s  (exit {self.code})"


def run(*command: str) -> Run:
    began = time.perf_counter()
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=os.environ)
    return Run(time.perf_counter() - began, done.returncode, done.stdout + done.stderr)


def build(contract: str, dockerfile: str, bad: str) -> Run:
    """Without the plan, which would stop it before it begins."""
    chosen = (
        "-q",
        "-c",
        contract,
        "-f",
        f"dockerfiles/{dockerfile}.Dockerfile",
        "--no-build-cache",
        "--no-plan",
        "--format",
        "json",
    )
    return run(
        "imgcheck", "build", *chosen, "--no-resolve", "--build-arg", f"REQUIREMENTS={Path(bad).name}", str(TRAIN)
    )


def culprit(bad: str) -> str:
    """The last of the bad requirements, by name."""
    asked = [line for line in Path(bad).read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return asked[-1].split("==")[0].lower()


def main() -> None:
    contract, good, bad = (*sys.argv[1:], *("contracts/base.yaml", GOOD, BAD)[len(sys.argv) - 1 :])
    with tempfile.TemporaryDirectory() as folder:
        lock = ("imgcheck", "lock", "-q", "-c", contract, "-o")
        run(*lock, f"{folder}/warm.txt", good)
        inside = run(*lock, f"{folder}/in.txt", good)
        alone = (sys.executable, "-m", "piptools", "compile", "-q", "--cache-dir", f"{folder}/cache", "-o")
        constraints = str(Path(contract).with_suffix("")) + ".constraints.txt"
        host = run(*alone, f"{folder}/host.txt", "-c", constraints, good)
        print(inside.row("lock in the base"), host.row("pip-tools alone"), sep="\n")
        print(f"{'ratio':<30} {inside.seconds / host.seconds:7.2f}\n")
        gate = run(*lock, f"{folder}/bad.txt", bad, "--check")
        print(gate.row("lock --check"))
        for name, dockerfile in (("the build, stopped in pip", "train"), ("the build round it", "train-unconstrained")):
            built = build(contract, dockerfile, bad)
            same = culprit(bad) in gate.output.lower() and culprit(bad) in built.output.lower()
            print(built.row(name), "the same culprit" if same else "ANOTHER CULPRIT")
            print(f"{'ratio':<30} {gate.seconds / built.seconds:7.2f}")


if __name__ == "__main__":
    main()

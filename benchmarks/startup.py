"""What `imgcheck --help` costs to start, against importing what it is made with: processor time of whole processes.

python benchmarks/startup.py [ROUNDS]
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys

BUDGET = 0.25
SIDES = {
    "imgcheck --help": [sys.executable, "-m", "imgcheck", "--help"],
    "import typer, rich": [sys.executable, "-c", "import typer, rich"],
    "python -c pass": [sys.executable, "-c", "pass"],
}


def cpu(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env={**os.environ, "COLUMNS": "100"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    taken: dict[str, list[float]] = {name: [] for name in SIDES}
    for command in SIDES.values():
        cpu(command)  # byte code is there afterwards
    for _ in range(rounds):
        for name, command in SIDES.items():
            taken[name].append(cpu(command))
    for name, seconds in taken.items():
        print(f"{name:<20} {1000 * statistics.median(seconds):6.0f} ms  (least {1000 * min(seconds):.0f})")
    ours, theirs = (statistics.median(taken[name]) for name in list(SIDES)[:2])
    print(f"ratio {ours / theirs:.2f}; {'within' if ours <= BUDGET else 'OVER'} {1000 * BUDGET:.0f} ms")
    sys.exit(ours > BUDGET)


if __name__ == "__main__":
    main()

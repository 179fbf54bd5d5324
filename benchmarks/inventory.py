"""What collecting versions and metadata costs, beside `pip list` and `pip check` in the same container.

Usage: python benchmarks/inventory.py [IMAGE]. Without IMAGE a larger one is built on the example base (about 150
distributions). CPU seconds are user + system of the process and its children, the median of five runs each, in turn.
"""

from __future__ import annotations

import json
import secrets
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from imgcheck.facts.answers import read_answers
from imgcheck.facts.archive import collector_archive

ROUNDS = 5
MORE = "jupyterlab==4.4.9\nhydra-core==1.3.2\nrich==14.1.0\nhttpx==0.28.1\n"

# Runs in the container: each command's CPU, measured by the kernel (getrusage(2), RUSAGE_CHILDREN).
MEASURE = """
import json, os, resource, subprocess, sys
request, rounds = sys.argv[1].encode() + b"\\n", int(sys.argv[2])
commands = {
    "imgcheck inventory": [sys.executable, "-I", "-S", "-B", "/bench/collector.pyz"],
    "pip list": [sys.executable, "-m", "pip", "list", "--disable-pip-version-check"],
    "pip check": [sys.executable, "-m", "pip", "check", "--disable-pip-version-check"],
    "bare interpreter": [sys.executable, "-c", "pass"],
}
def cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
costs = {name: [] for name in commands}
for number in range(rounds + 1):
    for name, command in commands.items():
        before = cpu()
        done = subprocess.run(command, input=request, capture_output=True)
        if number:
            costs[name].append(cpu() - before)
        if name.startswith("imgcheck"):
            answer = done.stdout.decode()
print(json.dumps({"costs": costs, "answer": answer}))
"""


def main() -> None:
    image = sys.argv[1] if len(sys.argv) > 1 else build()
    secret = secrets.token_hex(8)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "collector.pyz").write_bytes(collector_archive())
        python = "/opt/venv/bin/python3"
        request = json.dumps({"secret": secret, "job": "inventory", "python": python, "scratch": "/tmp"})
        options = ("--rm", "--network", "none", "-v", f"{folder}:/bench:ro", "--entrypoint", python)
        told = run("run", *options, image, "-c", MEASURE, request, str(ROUNDS))
    measured = json.loads(told)
    answers = list(read_answers([measured["answer"].encode()], secret))
    print(f"{image}: {sum(one.kind == 'distribution' for one in answers)} distributions")
    medians = {name: statistics.median(costs) for name, costs in measured["costs"].items()}
    ours = medians["imgcheck inventory"]
    for name, seconds in medians.items():
        print(f"{name:20} {seconds:6.2f} CPU s   {seconds / ours:5.2f} of imgcheck's")


def build() -> str:
    """About 150 distributions: the example base and what a notebook brings."""
    base = run(str(Path(__file__).parents[1] / "scripts/example-base"), program="")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "requirements.txt").write_text(MORE, "utf-8")
        Path(folder, "Dockerfile").write_text(
            f"FROM {base}\nCOPY requirements.txt /\nRUN pip install --no-cache-dir -r /requirements.txt\n", "utf-8"
        )
        run("build", "-q", "-t", "imgcheck-bench/inventory:1", folder)
    return "imgcheck-bench/inventory:1"


def run(*arguments: str, program: str = "docker") -> str:
    command = [program, *arguments] if program else list(arguments)
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


if __name__ == "__main__":
    main()

"""What looking at all installed files costs, beside reading every file's metadata and beside hashing them.

Usage: python benchmarks/files.py [IMAGE [PYTHON [ROUNDS]]]. Without IMAGE the larger one of
benchmarks/inventory.py is used. Two ratios, both sides from one run in one container, the
median of ROUNDS (five) each, in turn:
  the collector's files job      to `find / -xdev -ls`
  the same with everything hashed (--deep)   to `sha256sum` of the same files
and the most resident memory of the collector.
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

# Runs in the container; wall and CPU seconds are the kernel's (getrusage(2), RUSAGE_CHILDREN).
MEASURE = r"""
import json, os, resource, subprocess, sys, time
quick, deep, rounds = sys.argv[1].encode() + b"\n", sys.argv[2].encode() + b"\n", int(sys.argv[3])
collector = [sys.executable, "-I", "-S", "-B", "/bench/collector.pyz"]
listed = r'''
import csv, os, sys
for folder in sys.path:
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        record = os.path.join(folder, name, "RECORD")
        if name.endswith(".dist-info") and os.path.exists(record):
            for row in csv.reader(open(record)):
                path = os.path.normpath(os.path.join(folder, row[0]))
                if len(row) > 1 and row[1] and os.path.isfile(path):
                    print(path, end="\0")
'''
paths = subprocess.run([sys.executable, "-c", listed], capture_output=True).stdout
open("/tmp/paths", "wb").write(paths)
commands = {
    "find / -xdev -ls": (["find", "/", "-xdev", "-ls"], b""),
    "imgcheck files": (collector, quick),
    "sha256sum of the same": (["sh", "-c", "xargs -0 sha256sum < /tmp/paths"], b""),
    "imgcheck files --deep": (collector, deep),
}
costs = {name: [] for name in commands}
def cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
answers, memory = {}, 0
for number in range(rounds + 1):
    for name, (command, given) in commands.items():
        before, began = cpu(), time.monotonic()
        if name.startswith("imgcheck"):
            pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            process = subprocess.Popen(command, **pipes)
            process.stdin.write(given); process.stdin.close()
            answers[name] = process.stdout.read().decode()
            _, _, usage = os.wait4(process.pid, 0)
            memory = max(memory, usage.ru_maxrss)
        else:
            subprocess.run(command, input=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if number:
            costs[name].append((time.monotonic() - began, cpu() - before))
print(json.dumps({"costs": costs, "answers": answers, "memory": memory, "files": paths.count(b"\0")}))
"""


def main() -> None:
    image = sys.argv[1] if len(sys.argv) > 1 else "imgcheck-bench/inventory:1"
    python = sys.argv[2] if len(sys.argv) > 2 else "/opt/venv/bin/python3"
    rounds = sys.argv[3] if len(sys.argv) > 3 else str(ROUNDS)
    secret = secrets.token_hex(8)
    request = {"secret": secret, "job": "files", "python": python, "scratch": "/tmp", "deep": False}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "collector.pyz").write_bytes(collector_archive())
        options = ("--rm", "--network", "none", "-v", f"{folder}:/bench:ro", "--entrypoint", python)
        words = (json.dumps(request), json.dumps({**request, "deep": True}), rounds)
        command = ["docker", "run", *options, image, "-c", MEASURE, *words]
        told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    report(image, json.loads(told), secret)


def report(image: str, measured: dict[str, object], secret: str) -> None:
    answers, costs = measured["answers"], measured["costs"]
    assert isinstance(answers, dict)
    assert isinstance(costs, dict)
    owners = [one for one in read_answers([answers["imgcheck files"].encode()], secret) if one.kind == "owner"]
    hashed = sum(one.fields["facts"]["hashed"] for one in owners)
    print(f"{image}: {len(owners)} lists, {measured['files']:,} files with a hash, {hashed:,} hashed without --deep")
    for base, ours in (("find / -xdev -ls", "imgcheck files"), ("sha256sum of the same", "imgcheck files --deep")):
        wall, cpu = ([statistics.median(one[part] for one in costs[name]) for name in (base, ours)] for part in (0, 1))
        ratios = f"ratio {wall[1] / wall[0]:.2f}, CPU {cpu[1] / cpu[0]:.2f}"
        print(f"{base:24} {wall[0]:6.2f} s   {cpu[0]:6.2f} CPU s")
        print(f"{ours:24} {wall[1]:6.2f} s   {cpu[1]:6.2f} CPU s   {ratios}")
    print(f"most resident memory of the collector: {int(str(measured['memory'])) / 1024:.0f} MiB")


if __name__ == "__main__":
    main()

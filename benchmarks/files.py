"""What looking at all installed files costs, beside reading every file's metadata and beside hashing them.

Usage: python benchmarks/files.py [IMAGE] [--python PATH] [--rounds 5] [--cold]. Without IMAGE the larger one of
benchmarks/inventory.py is used (about 150 distributions). Both sides of each ratio come from one run in one container,
the median of all rounds, in turn:
  the files job of imgcheck                      to `find FOLDERS -ls` of the same folders
  the same with everything hashed (--deep)       to `sha256sum` of the files that are hashed
and, to see how low a program in Python can get, os.scandir and os.stat of the same folders and nothing else.
--cold drops the page cache, inodes and names before each command as well (drop_caches in proc_sys_vm(5)), in a
privileged container; it slows down whatever else runs on that machine.
"""

from __future__ import annotations

import argparse
import json
import secrets
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from inventory import build

from imgcheck.facts.answers import Answer, read_answers
from imgcheck.facts.archive import collector_archive

FIND, FLOOR, OURS = "find -ls", "os.scandir, os.stat", "imgcheck files"
SHA, DEEP = "sha256sum", "imgcheck files --deep"

# Runs in the container; wall and CPU seconds are the kernel's (getrusage(2), RUSAGE_CHILDREN).
MEASURE = r"""
import json, os, resource, subprocess, sys, time
request, rounds, cold = json.loads(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "cold"
collector = [sys.executable, "-I", "-S", "-B", "/bench/collector.pyz"]
floor = '''
import os, sys
waiting = sys.argv[1:]
while waiting:
    with os.scandir(waiting.pop()) as entries:
        for entry in entries:
            waiting += [entry.path] if entry.is_dir(follow_symlinks=False) else []
            entry.stat(follow_symlinks=False)
'''
recorded = '''
import csv, os, sys
for folder in sys.argv[1:]:
    for name in os.listdir(folder):
        record = os.path.join(folder, name, "RECORD")
        if name.endswith(".dist-info") and os.path.exists(record):
            for path, digest, _ in csv.reader(open(record)):
                path = os.path.normpath(os.path.join(folder, path))
                if digest and "__pycache__" not in path and os.path.isfile(path):
                    print(path, end=chr(0))
'''
def python(text):
    return [sys.executable, "-I", "-S", "-c", text, *folders]
def run(command, given=os.devnull, answer=os.devnull):
    before, began = cpu(), time.monotonic()
    with open(given, "rb") as stdin, open(answer, "wb") as stdout:
        process = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL)
        _, process.returncode, usage = os.wait4(process.pid, 0)
    return (time.monotonic() - began, cpu() - before), usage.ru_maxrss
def told(command, given=os.devnull):
    run(command, given, "/tmp/answer")
    with open("/tmp/answer", "rb") as file:
        return file.read()
def cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
def drop():
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w") as file:
        file.write("3")
for name, text in (("quick", dict(request, deep=False)), ("deep", dict(request, deep=True))):
    with open("/tmp/" + name, "w") as file:
        file.write(json.dumps(text) + "\n")
answer = told(collector, "/tmp/quick").decode()
folders = next(one["facts"]["roots"] for one in map(json.loads, answer.splitlines()) if one["kind"] == "summary")
paths = told(python(recorded))
with open("/tmp/paths", "wb") as file:
    file.write(paths)
commands = {
    FIND: (["find", *folders, "-ls"], os.devnull),
    FLOOR: (python(floor), os.devnull),
    OURS: (collector, "/tmp/quick"),
    SHA: (["xargs", "-0", "sha256sum"], "/tmp/paths"),
    DEEP: (collector, "/tmp/deep"),
}
costs, memory = {"warm": {}, "cold": {}}, 0
for number in range(rounds + 1):
    for name, (command, given) in commands.items():
        for state in ("cold", "warm") if cold else ("warm",):
            if state == "cold":
                drop()
            cost, resident = run(command, given)
            if command is collector:
                memory = max(memory, resident)
            if number:
                costs[state].setdefault(name, []).append(cost)
found = len(told(["find", *folders, "-printf", "."]))
hashed = paths.count(b"\0")
print(json.dumps({"costs": costs, "answer": answer, "memory": memory, "files": hashed, "found": found}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("image", nargs="?")
    parser.add_argument("--python", default="/opt/venv/bin/python3")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cold", action="store_true")
    options = parser.parse_args()
    image, secret = options.image or build(), secrets.token_hex(8)
    request = {"secret": secret, "job": "files", "python": options.python, "scratch": "/tmp"}
    names = "".join(f"{name} = {globals()[name]!r}\n" for name in ("FIND", "FLOOR", "OURS", "SHA", "DEEP"))
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "collector.pyz").write_bytes(collector_archive())
        Path(folder, "measure.py").write_text(names + MEASURE, "utf-8")
        command = ["docker", "run", "--rm", "--network=none", f"--volume={folder}:/bench:ro"]
        command += ["--privileged"] if options.cold else []
        command += [f"--entrypoint={options.python}", image, "-I", "/bench/measure.py", json.dumps(request)]
        command += [str(options.rounds), "cold" if options.cold else "warm"]
        told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    report(image, json.loads(told), secret)


def report(image: str, measured: dict[str, Any], secret: str) -> None:
    owners = [one for one in read_answers([measured["answer"].encode()], secret) if one.kind == "owner"]
    print(f"{image}: {len(owners)} lists, {total(owners, 'listed'):,} files listed, {measured['found']:,} found")
    print(f"{total(owners, 'hashed'):,} hashed without --deep, {measured['files']:,} with it")
    for state, costs in measured["costs"].items():
        if costs:
            print(f"\n{state} cache           seconds       CPU")
            table(costs)
    print(f"\nmost resident memory of the collector: {measured['memory'] / 1024:.0f} MiB")


def total(owners: list[Answer], key: str) -> int:
    return sum(one.fields["facts"][key] for one in owners)


def table(costs: dict[str, list[tuple[float, float]]]) -> None:
    medians = {
        name: [statistics.median(one[part] for one in rounds) for part in (0, 1)] for name, rounds in costs.items()
    }
    for name, (wall, cpu) in medians.items():
        base = medians[SHA if name in (SHA, DEEP) else FIND]
        ratio = "" if base == medians[name] else f"   {wall / base[0]:5.2f} times, CPU {cpu / base[1]:5.2f}"
        print(f"{name:22} {wall:6.2f}    {cpu:6.2f}{ratio}")


if __name__ == "__main__":
    main()

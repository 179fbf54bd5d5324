"""What reading native files costs, beside those who could be asked instead, and whether the answers agree.

Usage: python benchmarks/native.py [--python PYTHON] [--cuobjdump PROGRAM] [FILE]...

Of PYTHON's environment (this one unless given) all native files are read as the collector does; a sample of them beside
pyelftools. Of each FILE with GPU code the architectures are read, beside NVIDIA's cuobjdump (the wheel
nvidia-cuda-cuobjdump has it) on the same file. CPU seconds are user + system of each process and its children.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from imgcheck.collector.native_elf import open_elf
from imgcheck.collector.native_fatbin import gpu_code
from imgcheck.facts.answers import read_answers
from imgcheck.facts.archive import collector_archive

LISTED = re.compile(r"(?:ELF|PTX) file\s+\d+: \S*\.(sm_\d+a?)f?\.(cubin|ptx)$", re.MULTILINE)
SAMPLE = 20
READ = """
import sys
from imgcheck.collector.native_elf import open_elf, read_elf
for path in sys.stdin.read().split("\\n"):
    with open_elf(path) as data:
        read_elf(data, path)
"""
SYMBOLS = """
import sys
from elftools.elf.elffile import ELFFile
for path in sys.stdin.read().split("\\n"):
    with open(path, "rb") as stream:
        for segment in ELFFile(stream).iter_segments(type="PT_DYNAMIC"):
            sum(1 for tag in segment.iter_tags())
            sum(1 for one in segment.iter_symbols() if one.name)
"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--python", default=sys.executable)
    options.add_argument("--cuobjdump", default=shutil.which("cuobjdump"))
    options.add_argument("files", nargs="*", type=Path)
    given = options.parse_args()
    environment(given.python)
    if given.files and given.cuobjdump:
        gpu(given.files, given.cuobjdump)
    elif given.files:
        print("no cuobjdump: pip install nvidia-cuda-cuobjdump, and name it by --cuobjdump")


def environment(python: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder, "collector.pyz")
        archive.write_bytes(collector_archive())
        request = {"secret": "s", "job": "native", "python": python, "scratch": folder, "folders": []}
        before = spent()
        done = run([python, "-I", "-S", "-B", str(archive)], json.dumps(request).encode() + b"\n")
        ours, peak = spent() - before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    files = [one.fields["facts"]["path"] for one in read_answers([done], "s") if one.kind == "file"]
    size = sum(Path(path).stat().st_size for path in files)
    print(f"{len(files)} native files, {size / 1e6:,.0f} MB, of {python}")
    print(f"  all facts of the native checks: {ours:.2f} CPU s, {peak / 1024:.0f} MiB at most")
    sample = files[::SAMPLE]
    print(f"  {len(sample)} of them, tags and symbols alone")
    costs = {}
    for name, program in (("imgcheck", READ), ("pyelftools", SYMBOLS)):
        before = spent()
        run([sys.executable, "-c", program], "\n".join(sample).encode())
        costs[name] = spent() - before
        print(f"    {name:10} {costs[name]:8.2f} CPU s   {costs[name] / costs['imgcheck']:.1f} times imgcheck's")


def gpu(paths: list[Path], program: str) -> None:
    """Both sides as they are once the files are in memory: the best of three rounds, in turn."""
    same, totals = 0, {"imgcheck": 0.0, "cuobjdump": 0.0}
    for path in paths:
        costs: dict[str, list[float]] = {name: [] for name in totals}
        for _ in range(3):
            before = spent(resource.RUSAGE_SELF)
            found = ours(path)
            costs["imgcheck"].append(spent(resource.RUSAGE_SELF) - before)
            before = spent()
            told = run([program, "--list-elf", "--list-ptx", str(path)]).decode()
            costs["cuobjdump"].append(spent() - before)
        for name, seconds in costs.items():
            totals[name] += min(seconds)
        listed = Counter(LISTED.findall(told))
        same += listed == found
        print(f"  {path.name:50} {sum(found.values()):6} entries   {'as' if listed == found else 'NOT as'} cuobjdump")
    print(f"{same} of {len(paths)} files agree")
    for name, seconds in totals.items():
        print(f"  {name:10} {seconds:8.3f} CPU s   {seconds / max(totals['imgcheck'], 1e-6):.0f} times imgcheck's")


def ours(path: Path) -> Counter[tuple[str, str]]:
    """Architectures as cuobjdump names them: it leaves the `f` of a family out."""
    data = open_elf(str(path))
    found: Counter[tuple[str, str]] = Counter()
    if data is None:
        return found
    with data:
        told = gpu_code(data)
    for container in told["containers"] if told else ():
        for kind, arch, _ in container["entries"]:
            if kind in {"sass", "ptx"}:
                found[f"sm_{arch.rstrip('f')}", "cubin" if kind == "sass" else "ptx"] += container["count"]
    return found


def spent(who: int = resource.RUSAGE_CHILDREN) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def run(command: list[str], given: bytes = b"") -> bytes:
    return subprocess.run(command, input=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout


if __name__ == "__main__":
    main()

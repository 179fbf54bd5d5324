"""The import sweep against a walk of one process and against one interpreter for each module, on a realistic stack.

Usage: python benchmarks/import_sweep.py [--sample 600] [--jobs 2] [--method walk] [--small]

Builds the image of benchmarks/stack once (178 distributions, 3 GB; the wheels come by the host's pip, which should find
a CPU build of torch), and a second one with another protobuf. All that is compared comes from one run:
- CPU of the sweep as a multiple of the walk's, and its memory: at most 3 times, within 1.5 GB;
- its verdicts against fresh interpreters, for a sample from every distribution;
- a second sweep: the same verdicts;
- the image with the moved protobuf: which failures are new.
--small takes a dozen small distributions: to see that the script works.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import platformdirs

from imgcheck.facts.archive import collector_archive

HERE = Path(__file__).parent
STACK = HERE / "stack"
SMALL = ("attrs", "click", "idna", "Jinja2", "MarkupSafe", "packaging", "protobuf", "PyYAML", "requests", "rich", "six")
MOVED = "protobuf==5.29.5"
VARYING = re.compile(r"0x[0-9a-fA-F]+|/tmp/[^\s'\")]+|\b\d+\.\d+ ?m?s\b")
Verdict = tuple[str, str | None, str | None]


def main() -> None:
    options = read_options()
    wheels, requirements = fetch(options.small)
    base = build(wheels, requirements)
    run = Measure(base, options.jobs)
    walk = run.part("walk")
    first, verdicts = run.sweep(options.method)
    summary = first["summary"]
    print(f"{base}: {first['distributions']} distributions, {len(verdicts):,} modules")
    print(f"one process, every module once   {walk['cpu']:8.1f} CPU s  {mib(walk['memory'])} at its largest")
    ratio = first["cpu"] / walk["cpu"]
    peak = mib(summary["peak_memory"])
    print(f"sweep ({summary['method']})                     {first['cpu']:8.1f} CPU s  {peak} at most, together")
    print(f"   {ratio:.2f} times the walk, {first['wall']:.0f} s by the clock with {options.jobs} workers")
    print(f"   work: {json.dumps(summary['work'])}")
    print(f"   disagreements that its own share of proofs found: {summary.get('disagreements', [])}")
    names = sample(verdicts, options.sample)
    alone = run.part("single", modules=names)
    whole = alone["cpu"] / len(names) * len(verdicts)
    print(f"one interpreter each             {alone['cpu']:8.1f} CPU s for {len(names)} modules")
    print(f"   {whole / 3600:.1f} CPU hours for all: {whole / first['cpu']:.0f} times the sweep")
    compare(
        "agreement with fresh interpreters", verdicts, {name: tuple(one) for name, one in alone["verdicts"].items()}
    )
    _, again = run.sweep(options.method)
    compare("agreement of two sweeps", verdicts, again)
    _, moved = Measure(build(wheels, requirements, MOVED), options.jobs).sweep(options.method)
    differences(verdicts, moved)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=600, help="modules that are tried in fresh interpreters")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--method", default="walk", choices=["walk", "tree", "exact"])
    parser.add_argument("--small", action="store_true")
    return parser.parse_args()


# ------------------------------------------------------------ the images


def fetch(small: bool) -> tuple[Path, Path]:
    """The folder of wheels and the requirements file."""
    folder = Path(platformdirs.user_cache_dir("imgcheck")) / "benchmark-wheels"
    folder.mkdir(parents=True, exist_ok=True)
    lines = (STACK / "requirements.txt").read_text("utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    if small:
        pins = [line for line in pins if line.split("==")[0] in SMALL]
    file = folder / ("small.txt" if small else "all.txt")
    file.write_text("\n".join(pins) + "\n", "utf-8")
    wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder)]
    for wanted in (["-r", str(file)], [MOVED]):  # two versions of one distribution are no single request
        subprocess.run([*wheel, "--find-links", str(folder), *wanted], check=True)
    return folder, file


def build(wheels: Path, requirements: Path, moved: str = "") -> str:
    root = output(str(HERE.parent / "scripts/root-image"))
    inputs = [root, requirements.read_text("utf-8"), moved, (STACK / "Dockerfile").read_text("utf-8")]
    tag = f"imgcheck-bench/stack:{hashlib.sha256(json.dumps(inputs).encode()).hexdigest()[:12]}"
    if subprocess.run(["docker", "image", "inspect", tag], capture_output=True, check=False).returncode:
        arguments = ["--build-arg", f"ROOT={root}", "--build-arg", f"MOVED={moved}"]
        arguments += ["--build-arg", f"REQUIREMENTS={requirements.name}", "--build-context", f"wheels={wheels}"]
        with tempfile.TemporaryDirectory() as context:
            Path(context, requirements.name).write_bytes(requirements.read_bytes())
            command = ["docker", "buildx", "build", "--load", "--progress", "plain", "-t", tag, *arguments]
            subprocess.run([*command, "-f", str(STACK / "Dockerfile"), context], check=True)
    return tag


# ------------------------------------------------------------ measuring


class Measure:
    """Runs parts of stack/measure.py in containers of one image, without network, as a check would."""

    def __init__(self, image: str, jobs: int) -> None:
        self._image = image
        self._jobs = jobs

    def part(self, part: str, **options: object) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            return self._run(Path(folder), part, options)

    def sweep(self, method: str) -> tuple[Any, dict[str, Verdict]]:
        with tempfile.TemporaryDirectory() as folder:
            told = self._run(Path(folder), "sweep", {"method": method, "out": "/bench/verdicts"})
            found = json.loads(Path(folder, "verdicts").read_text("utf-8"))
        return told, {one["module"]: verdict(one) for one in found}

    def _run(self, folder: Path, part: str, options: dict[str, Any]) -> Any:
        (folder / "collector.pyz").write_bytes(collector_archive())
        (folder / "measure.py").write_bytes((STACK / "measure.py").read_bytes())
        command = [
            "docker",
            "run",
            "--rm",
            "--init",
            "--network",
            "none",
            "--workdir",
            "/tmp",
            "--entrypoint",
            "python3",
        ]
        command += ["--volume", f"{folder}:/bench", "--env", "PYTHONDONTWRITEBYTECODE=1", self._image]
        request = json.dumps({"jobs": self._jobs, **options})
        return json.loads(output(*command, "/bench/measure.py", "/bench/collector.pyz", part, request))


def output(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def verdict(facts: Any) -> Verdict:
    status, error = facts["status"], facts["error"]
    if error:
        return status, error["type"], error["message"]
    if status in ("signal", "exit"):
        code = -facts["signal"] if status == "signal" else facts["exit_code"]
        return status, None, str(code)
    return status, None, None


def sample(verdicts: dict[str, Verdict], count: int) -> list[str]:
    """From every part of the list in proportion, so from every distribution of some size."""
    names = list(verdicts)
    step = max(1.0, len(names) / count)
    chance = random.Random(20261129)
    return [
        names[min(len(names) - 1, int(step * (number + chance.random())))] for number in range(min(count, len(names)))
    ]


# ------------------------------------------------------------ comparing


def compare(title: str, ours: dict[str, Verdict], others: dict[str, Verdict]) -> None:
    status = [name for name in others if ours[name][0] != others[name][0]]
    message = [name for name in others if alike(ours[name]) != alike(others[name])]
    total = len(others)
    print(f"{title}: status {total - len(status)} of {total}, status and message {total - len(message)} of {total}")
    for name in message[:40]:
        print(f"   {name}: {shortened(ours[name])} | {shortened(others[name])}")


def differences(base: dict[str, Verdict], child: dict[str, Verdict]) -> None:
    new = [name for name in child if alike(child[name]) != alike(base.get(name, ("absent", None, None)))]
    failing = [name for name in new if child[name][0] != "ok"]
    words = collections.Counter(str(child[name][2])[:70] for name in failing)
    print(f"with {MOVED}: {len(new)} modules of {len(child):,} differ, {len(failing)} of them fail")
    for text, count in words.most_common(10):
        print(f"   {count:4} {text}")


def alike(one: Verdict) -> Verdict:
    return one[0], one[1], VARYING.sub("...", one[2] or "")


def shortened(one: Verdict) -> str:
    return " ".join(str(part)[:100] for part in one if part)


def mib(size: float) -> str:
    return f"{size / (1 << 20):,.0f} MiB"


if __name__ == "__main__":
    main()

"""A lock in the base image against pip-tools alone on this machine; and `lock --check` against the build that fails.

    python benchmarks/lock.py CONTRACT [REQUIREMENTS [BAD_REQUIREMENTS [DOCKERFILE]]]

Needs pip-tools in this environment. Every side begins with an empty pip cache, and imgcheck's tools fetched.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TRAIN = Path("dockerfiles/train")


def seconds(*command: str, **environment: str) -> tuple[float, int]:
    began = time.perf_counter()
    done = subprocess.run(command, check=False, capture_output=True, env={**os.environ, **environment})
    return time.perf_counter() - began, done.returncode


def main() -> None:
    contract, good, bad, dockerfile = (
        *sys.argv[1:],
        *(
            "contracts/base.yaml",
            f"{TRAIN}/requirements.txt",
            f"{TRAIN}/requirements-bad.txt",
            "dockerfiles/train.Dockerfile",
        )[len(sys.argv) - 1 :],
    )
    with tempfile.TemporaryDirectory() as folder:
        lock = ("imgcheck", "lock", "-q", "-c", contract, "-o")
        seconds(*lock, f"{folder}/warm.txt", good)
        inside, code = seconds(*lock, f"{folder}/in.txt", good)
        alone = (sys.executable, "-m", "piptools", "compile", "-q", "--cache-dir", f"{folder}/cache", "-o")
        constraints = str(Path(contract).with_suffix("")) + ".constraints.txt"
        host, host_code = seconds(*alone, f"{folder}/host.txt", "-c", constraints, good)
        print(f"lock in the base  {inside:7.1f} s  (exit {code})\npip-tools alone   {host:7.1f} s  (exit {host_code})")
        print(f"ratio             {inside / host:7.2f}")
        gate, code = seconds(*lock, f"{folder}/bad.txt", bad, "--check")
        build = ("imgcheck", "build", "-q", "-c", contract, "-f", dockerfile, "--no-build-cache", str(TRAIN))
        built, build_code = seconds(*build, "--build-arg", f"REQUIREMENTS={Path(bad).name}")
        print(f"lock --check      {gate:7.1f} s  (exit {code})\nthe bad build     {built:7.1f} s  (exit {build_code})")
        print(f"ratio             {gate / built:7.2f}")


if __name__ == "__main__":
    main()

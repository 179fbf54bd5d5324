"""What benchmarks/import_sweep.py runs in the container: one part of the measurement each time it is called.

Usage: python measure.py COLLECTOR PART OPTIONS, OPTIONS in JSON; prints one line of JSON.
    walk      every module in one process, in the order of the list: the floor, each body once
    sweep     the sweep of imgcheck; {"method", "jobs", "out"}; verdicts go to the file `out`
    single    one fresh interpreter for each of some modules; {"modules", "jobs"}
CPU seconds are those of the whole container, as the kernel's cgroup counts them: what modules start is in all of them.
"""

from __future__ import annotations

import ast
import concurrent.futures
import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

LEFT_OUT = ("dill.__diff", "dill._objects")  # they patch `__import__`: in one process nothing after them is measured
PLAIN = """
import json, os, resource, sys
names, told = json.load(open(sys.argv[1])), os.dup(1)
del sys.path[0], sys.argv[1:]
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
os.dup2(1, 2)
failed = 0
for name in names:
    try:
        __import__(name)
    except BaseException:
        failed += 1
os.write(told, json.dumps({"failed": failed, "memory": resource.getrusage(0).ru_maxrss * 1024}).encode())
os._exit(0)
"""
SINGLE = """
import os, sys
name, told = sys.argv[1], int(sys.argv[2])
del sys.path[0], sys.argv[1:]
try:
    __import__(name)
    answer = ["ok", None, None]
except BaseException as error:
    try:
        message = str(error)[:2000]
    except BaseException:
        message = "<exception str() failed>"
    answer = ["exit" if isinstance(error, SystemExit) else "exception", type(error).__name__, message]
os.write(told, ascii(answer).encode())
os._exit(0)
"""


def main() -> None:
    collector, part, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    sys.path.insert(0, collector)
    began, used = time.monotonic(), cpu()
    told = {"walk": walk, "sweep": sweep, "single": single}[part](options)
    print(json.dumps({**told, "cpu": cpu() - used, "wall": time.monotonic() - began}))


def cpu() -> float:
    try:
        lines = Path("/sys/fs/cgroup/cpu.stat").read_text().splitlines()  # cgroup v2
        return int(dict(line.split() for line in lines)["usage_usec"]) / 1e6
    except OSError:
        return int(Path("/sys/fs/cgroup/cpuacct/cpuacct.usage").read_text()) / 1e9


def listed() -> tuple[list, list]:
    from imgcheck.collector.distributions import find_distributions
    from imgcheck.collector.interpreter import interpreter_facts
    from imgcheck.collector.modules import enumerate_modules

    facts = interpreter_facts(sys.executable)
    distributions = find_distributions(facts["path"])
    modules = enumerate_modules(distributions, facts["path"], facts["extension_suffixes"])
    return distributions, [
        one for one in modules if one["group"] in ("module", "vendored", "main", "not-an-identifier")
    ]


def walk(_options: dict) -> dict:
    _, modules = listed()
    names = [one["module"] for one in modules if one["module"] not in LEFT_OUT]
    Path("/tmp/names").write_text(json.dumps(names))
    command = [sys.executable, "-c", PLAIN, "/tmp/names"]
    return json.loads(subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout)


def sweep(options: dict) -> dict:
    from imgcheck.collector.sweep import sweep as run

    distributions, modules = listed()
    requires = {one["name"]: one["requires_dist"] for one in distributions}
    found: list = []
    limits = {"python": sys.executable, "scratch": "/tmp", "timeout": 60, "memory": 4 << 30, "requires": requires}
    summary = run(modules, {**limits, "method": options["method"], "jobs": options["jobs"]}, found.append)
    Path(options["out"]).write_text(json.dumps(found))
    return {"summary": summary, "distributions": len(distributions)}


def single(options: dict) -> dict:
    with concurrent.futures.ThreadPoolExecutor(options["jobs"]) as pool:
        return {"verdicts": dict(zip(options["modules"], pool.map(fresh, options["modules"]), strict=True))}


def fresh(name: str) -> list:
    read, write = os.pipe()
    command = [sys.executable, "-c", SINGLE, name, str(write)]
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[write],
        start_new_session=True,
    )
    os.close(write)
    try:
        child.wait(120)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        os.close(read)
        return ["timeout", None, None]
    finally:
        with contextlib.suppress(OSError):
            os.killpg(child.pid, 9)
    os.set_blocking(read, False)
    try:
        text = os.read(read, 1 << 16)
    except BlockingIOError:
        text = b""
    os.close(read)
    if text:
        return ast.literal_eval(text.decode())
    return ["signal" if child.returncode < 0 else "exit", None, str(child.returncode)]


if __name__ == "__main__":
    main()

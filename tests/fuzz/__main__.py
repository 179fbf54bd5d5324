"""The long pass: each reader in a process of its own with 2 GiB of memory, on changed seeds.

Prints executions and faults of each; exits with 1 if there are any. What made a fault is written to tests/fuzz/corpus,
where the tests run it from then on.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import random
import resource
import signal
import sys
import time
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from types import FrameType

from tests.fuzz.targets import CORPUS, TARGETS, changed, execute
from tests.fuzz.test_fuzz import HOSTILE_BYTES

MEMORY = 2 * 2**30
SECONDS = 5


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description=__doc__, epilog=f"Readers: {', '.join(TARGETS)}")
    parser.add_argument("minutes", type=float, nargs="?", default=10, help="for all of them together (10)")
    parser.add_argument("readers", nargs="*", metavar="READER", help="some of them alone")
    options = parser.parse_args()
    unknown = [name for name in options.readers if name not in TARGETS]
    if unknown:
        parser.error(f"there is no reader {unknown[0]}")
    try:
        return fuzz(options.minutes, options.readers or list(TARGETS))
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130


def fuzz(minutes: float, chosen: list[str]) -> int:
    total = faults = 0
    for name in chosen:
        ours, theirs = multiprocessing.Pipe(duplex=False)
        child = multiprocessing.Process(target=_work, args=(name, minutes * 60 / len(chosen), theirs), daemon=True)
        child.start()
        theirs.close()
        count, found = 0, ["its process ended: no memory, or a crash"]
        with suppress(EOFError):
            count, found = ours.recv()
        child.join()
        total, faults = total + count, faults + len(found)
        sys.stdout.write(f"{name:16} {count:>10,} executions, {len(found)} faults\n{''.join(found)}")
        sys.stdout.flush()
    sys.stdout.write(f"{'all':16} {total:>10,} executions, {faults} faults\n")
    return 1 if faults else 0


def _work(name: str, seconds: float, answers: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _too_long)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it: an interrupt is no fault of a reader
    chance = random.Random()
    found: dict[str, str] = {}
    until, count = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        data = _input(name, chance)
        count += 1
        signal.alarm(SECONDS)
        try:
            execute(name, data)
        except BaseException:  # noqa: BLE001  # whatever it is, it is what is looked for
            told = traceback.format_exc().splitlines()
            where = next((line for line in reversed(told) if line.startswith("  File")), "")
            if where not in found:
                found[where] = f"  {where.strip()}: {told[-1][:300]}  -> {_keep(name, data)}\n"
        finally:
            signal.alarm(0)
    answers.send((count, list(found.values())))


def _input(name: str, chance: random.Random) -> bytes:
    seed = chance.choice(TARGETS[name].seeds)
    edits = [
        (
            chance.randrange(1 << 16),
            chance.choice((0, 1, 2, 4, 8, 100_000 if chance.random() < 0.2 else 1)),
            chance.choice(HOSTILE_BYTES) if chance.random() < 0.5 else chance.randbytes(chance.randrange(9)),
        )
        for _ in range(chance.randrange(1, 7))
    ]
    return changed(seed, edits)


def _keep(name: str, data: bytes) -> str:
    path = CORPUS / name / hashlib.sha256(data).hexdigest()[:12]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return str(path)


def _too_long(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError(f"more than {SECONDS} seconds")


if __name__ == "__main__":
    sys.exit(main())

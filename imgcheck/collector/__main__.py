"""Reads one request from standard input, does its job, and answers in JSON lines on standard output.

It expects: a line of JSON {"secret": ..., "job": the name of a job_*.py, "python": ..., ...}; the rest is the job's.
Results: lines {"secret", "number", "kind", ...}, the last of kind "end". Trouble that a user's image can
cause is a line of kind "trouble", not a crash. Exit status 0 where an answer was given.

The archive holds sources, which are compiled each time: only the modules of one job are loaded.
"""

from __future__ import annotations

import ctypes
import json
import sys
from importlib import import_module

from imgcheck.collector.channel import Channel


def main() -> None:
    request = json.loads(sys.stdin.readline())
    channel = Channel(request["secret"])
    _close_to_others()
    try:
        if "root" in request:  # nothing can be run: another process's files are looked at
            import_module("imgcheck.collector.still").enter(request["python"], request["root"])
        channel.keep_alive()
        import_module("imgcheck.collector.job_" + request["job"].replace("-", "_")).run(request, channel)
    except RuntimeError as error:
        channel.send("trouble", message=str(error))
    channel.end()


def _close_to_others() -> None:
    """Other processes of the same user may not look into this one (prctl(2), PR_SET_DUMPABLE)."""
    try:
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    except (OSError, AttributeError):
        pass


if __name__ == "__main__":
    main()

"""The job "selfcheck": one entry point that the image's own code offers, called in a fresh process as a probe is."""

from __future__ import annotations

import json
import os
import pkgutil
from typing import Any, Dict

from imgcheck.collector.channel import Channel
from imgcheck.collector.probe import run_probe

_PROGRAM = "imgcheck.collector", "selfcheck_program.py"
_MOST = 1 << 20

Facts = Dict[str, Any]


def run(request: Facts, channel: Channel) -> None:
    file = os.path.join(request["scratch"], "selfcheck.json")
    source = (pkgutil.get_data(*_PROGRAM) or b"").decode("utf-8")
    words = ["{python}", "-c", source, file, request["value"]]
    told = run_probe({**request["probe"], "run": words}, request["python"], request["scratch"])
    channel.send("selfcheck", facts={"process": told, "value": request["value"], **_answer(file)})


def _answer(file: str) -> Facts:
    """What the program wrote, as far as it is an answer; none where it did not come so far."""
    try:
        with open(file, encoding="ascii") as stream:
            answer = json.loads(stream.read(_MOST))
    except (OSError, ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}

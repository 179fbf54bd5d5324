"""Looking at a tree of files of which nothing can be run: made ready before a job begins.

It expects in the request under "root": {"folder", "owned": a file with owners and modes, or "", "user": uid and gids,
"workdir", "variables"}. Jobs then see the tree in the place of "/", with its variables, its machine, and its
interpreter as its files tell it.
Floor: Python 3.8.
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict

from imgcheck.collector import interpreter, locations, surroundings
from imgcheck.collector.rooted import Root, User, View
from imgcheck.collector.still_interpreter import StillFinder, interpreter_by_files, locale_by_files, machine_by_files

Facts = Dict[str, Any]


def enter(python: str, root: Facts) -> None:
    """From here on this process looks into the tree."""
    owned = {}
    if root["owned"]:
        with open(root["owned"], encoding="utf-8") as file:
            owned = {path: tuple(facts) for path, facts in json.load(file).items()}
    user = User(root["user"][0], tuple(root["user"][1:]))
    os.environ.clear()
    os.environ.update(root["variables"])
    View(Root(root["folder"], {"/proc/self/exe": python}), owned, user, root["workdir"]).install()
    _become(machine_by_files(python), user)
    interpreter.by_files = interpreter_by_files
    suffixes = interpreter_by_files(python)["extension_suffixes"]
    locations.make_finder = lambda folder: StillFinder(folder, suffixes)
    surroundings.by_files = locale_by_files


def _become(machine: str, user: User) -> None:
    """What else is asked of the system."""
    system = os.uname()
    named = os.uname_result(
        (system.sysname, system.nodename, system.release, system.version, machine or system.machine)
    )
    os.uname = lambda: named
    os.getuid = lambda: user.uid
    os.getgid = lambda: user.gids[0]

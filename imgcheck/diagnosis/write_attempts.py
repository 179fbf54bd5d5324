"""Where programs of the image really tried to write, and could not: by what imports and probes said of it.

Sources of the forms: Python's OSError, numba's and Matplotlib's own messages, those of coreutils and of Go programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from imgcheck.contract.model import Contract
from imgcheck.diagnosis.known_caches import MOVERS, TEMPORARY
from imgcheck.facts.model import Facts, ModuleFacts
from imgcheck.facts.probes import ProbeFacts

READ_ONLY: Final = "Read-only file system"
_DENIED: Final = re.compile(
    rf"\[Errno (?P<number>13|30)\] (?:Permission denied|{READ_ONLY}): b?['\"](?P<path>/[^'\"]*)['\"]"
)
_QUOTE: Final = "['\u2018\u2019]"
_SHELL: Final = (
    rf"cannot (?:create|touch|open|make|remove)[^/\n]*{_QUOTE}(/[^'\u2018\u2019\n]+){_QUOTE}[^:\n]*: "
    rf"(?:Permission denied|{READ_ONLY})"
)
_NUMBA: Final = "NUMBA_CACHE_DIR"
"""It keeps what it compiled in a folder beside the source."""
_OTHERS: Final = (
    (re.compile(r"the default path \((/[^)]*)\) is not a writable directory"), "MPLCONFIGDIR"),
    (re.compile(r"cannot cache function '[^']*': no locator available for file '([^']*)'"), _NUMBA),
    (re.compile(r"trying to write in your cache folder \((/[^)]*)\)"), "HF_HOME"),
    (re.compile(_SHELL), ""),
    (re.compile(r"\b(?:mkdir|open|create|rename) (/[^\s:]+): (?:permission denied|read-only file system)"), ""),
)
_WRITES: Final = re.compile(
    r"mkdir|makedirs|['\"][wax]b?\+?['\"]|O_CREAT|mkstemp|TemporaryFile|touch\(|rename\(|replace\(|symlink|copyfile"
    r"|[Ll]ock\(|\.save|\.dump|\.write|unlink|rmtree"
)
_NEAR: Final = 600
"""Characters before a message in which the line that raised it stands."""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One attempt: who tried, where, and what moves it."""

    who: str
    path: str
    variable: str
    read_only: bool
    """The file system cannot be written by anybody."""
    fatal: bool
    """Who tried failed; else he went on without."""
    text: str


def attempts(facts: Facts) -> Iterator[Attempt]:
    for module in facts.imports.modules if facts.imports else ():
        yield from _in_text(f"import {module.module}", _words_of(module), facts, fatal=module.status != "ok")
    for name, told in facts.probes.items():
        yield from _of_process(f"probe {name}", told, facts)
    for name, call in facts.selfchecks.called.items() if facts.selfchecks else ():
        said = list(_of_process(f"self-check {name}", call.process, facts))
        yield from said
        known = {one.path for one in said}
        yield from _heard(f"self-check {name}", tuple(one for one in call.denied if one not in known), facts)
    for name, told in facts.runs.items():
        yield from _of_process(name, told, facts)


def _heard(who: str, paths: tuple[str, ...], facts: Facts) -> Iterator[Attempt]:
    """Attempts that were watched; who tried may have gone on without a word."""
    home = _variables(facts).get("HOME", "")
    for path in paths:
        text = f"it opened {path} to write"
        yield Attempt(who=who, path=path, variable=mover_of(path, home), read_only=False, fatal=False, text=text)


def mount_of(path: str, contract: Contract) -> str:
    """The read-only mount of the contract that a path lies in; empty where it lies in none."""
    mounts = [one.path.rstrip("/") for one in contract.runtime.mounts if one.read_only]
    return next((one for one in mounts if path == one or path.startswith(f"{one}/")), "")


def _words_of(module: ModuleFacts) -> str:
    if module.error is None:
        return module.stderr
    frames = "\n".join(frame.text for frame in module.error.frames)
    chain = "\n".join(f"{one.frame.text if one.frame else ''}\n{one.type}: {one.message}" for one in module.error.chain)
    return f"{module.stderr}\n{chain}\n{frames}\n{module.error.type}: {module.error.message}"


def _of_process(who: str, told: ProbeFacts, facts: Facts) -> Iterator[Attempt]:
    text = "\n".join((told.output, told.server_output, *told.logs.values()))
    yield from _in_text(who, text, facts, fatal=told.reached != "done")


def _in_text(who: str, text: str, facts: Facts, *, fatal: bool) -> Iterator[Attempt]:
    home = _variables(facts).get("HOME", "")
    for found in _DENIED.finditer(text):
        read_only = found["number"] == "30"
        if read_only or _WRITES.search(text[max(0, found.start() - _NEAR) : found.start()]):
            yield _attempt(who, found, found["path"], mover_of(found["path"], home), fatal=fatal, read_only=read_only)
    for pattern, variable in _OTHERS:
        for found in pattern.finditer(text):
            path = str(PurePosixPath(found[1]).parent / "__pycache__") if variable == _NUMBA else found[1]
            moved_by = variable or mover_of(path, home)
            read_only = READ_ONLY.lower() in found[0].lower()
            yield _attempt(who, found, path, moved_by, fatal=fatal, read_only=read_only)


def _attempt(who: str, found: re.Match[str], path: str, variable: str, *, fatal: bool, read_only: bool) -> Attempt:
    return Attempt(who=who, path=path, variable=variable, read_only=read_only, fatal=fatal, text=found[0])


def mover_of(path: str, home: str) -> str:
    """The variable that moves what is written there; empty where none is known."""
    known = next((variable for part, variable in MOVERS if part in path), "")
    if known:
        return known
    if any(path.startswith(f"{folder}/") for folder in TEMPORARY):
        return "TMPDIR"
    inside = home and (path == home or path.startswith(home.rstrip("/") + "/"))
    return "HOME" if inside and PurePosixPath(home) != PurePosixPath("/") else ""


def _variables(facts: Facts) -> Mapping[str, str]:
    if facts.surroundings:
        return dict(facts.surroundings.environment)
    return dict(one.partition("=")[::2] for one in facts.image.env)

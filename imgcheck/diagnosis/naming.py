"""Whether a module bears a distribution's name, as loosely as people name things."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final

from packaging.utils import canonicalize_name

from imgcheck.diagnosis.known_modules import PROVIDERS
from imgcheck.facts.model import Distribution

_SHORTEST: Final = 3
_ALIKE: Final = 0.6

# What templates and careless packaging leave in a wheel: `sample` and `tests` come from
# https://github.com/pypa/sampleproject, the others from setuptools' reserved names of folders that are no packages,
# https://setuptools.pypa.io/en/latest/userguide/package_discovery.html#flat-layout ("reserved names").
GENERIC: Final = frozenset(
    {"app", "benchmark", "benchmarks", "build", "demo", "dist", "doc", "docs", "documentation", "example", "examples"}
    | {"exercise", "exercises", "hello", "helloworld", "hello_world", "htmlcov", "main", "manpages", "my_package"}
    | {"mypackage", "news", "newsfragments", "notebooks", "package", "sample", "samples", "script", "scripts", "setup"}
    | {"src", "tasks", "test", "tests", "toolbox", "tools", "util", "utils"}
)


def resembles(distribution: str, module: str) -> bool:
    """A part of the one holds a part of the other, or the table of known names says so."""
    name = canonicalize_name(distribution)
    parts = module.split(".")[:3]
    known = [PROVIDERS.get(".".join(parts[:length]), "") for length in range(1, len(parts) + 1)]
    if any(one.partition("-")[0] == name.partition("-")[0] for one in known):  # opencv-python, -headless, -contrib
        return True
    words = [name.replace("-", ""), *name.split("-")]
    return any(_alike(word, _letters(part)) for word in words for part in parts)


def is_stranger(distribution: Distribution) -> bool:
    """It holds modules, all of names that anybody's could have, and none like its own."""
    return bool(distribution.modules) and not any(
        name.partition(".")[0] not in GENERIC or resembles(distribution.canonical_name, name)
        for name, _, _ in distribution.modules
    )


def top_names(distribution: Distribution) -> str:
    return ", ".join(sorted({name.partition(".")[0] for name, _, _ in distribution.modules})[:5])


def _alike(word: str, part: str) -> bool:
    short, long = sorted((word, part), key=len)
    if len(short) < _SHORTEST:
        return short == long
    return short in long or SequenceMatcher(None, word, part).ratio() >= _ALIKE


def _letters(module: str) -> str:
    return re.sub(r"[^a-z0-9]", "", module.lower())

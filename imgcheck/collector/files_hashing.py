"""Hashes of files, bounded: what is not hashed is counted by whoever asks, never taken for equal.

Floor: Python 3.8.
"""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Iterable, NamedTuple

LIMIT = 1 << 16
"""Bytes of a file that is hashed without being asked for: 19 of 20 files of site-packages are smaller."""
SUSPECTED_LIMIT = 1 << 26
SUSPECTED_BUDGET = 1 << 28
_BLOCK = 1 << 20
_MOST_THREADS = 4


class Asked(NamedTuple):
    """A file that should have a digest."""

    path: str
    algorithm: str
    size: int


class Bounds:
    """Which files are worth their reading: small ones, suspected ones up to a budget, all of them where `deep`."""

    def __init__(self, *, deep: bool) -> None:
        self._deep = deep
        self._left = SUSPECTED_BUDGET

    def allow(self, size: int, *, suspected: bool) -> bool:
        if self._deep or size <= LIMIT:
            return True
        if not suspected or size > min(SUSPECTED_LIMIT, self._left):
            return False
        self._left -= size
        return True


def digests_of(asked: Iterable[Asked]) -> dict[tuple[str, str], str | None]:
    """(path, algorithm) -> hexadecimal digest; None where it cannot be read, or the algorithm is unknown.

    Small files one after the other, for threads would cost more than they bring; large ones side by side.
    """
    found: dict[tuple[str, str], str | None] = {}
    large: dict[tuple[str, str], None] = {}
    for one in asked:
        key = (one.path, one.algorithm)
        if one.size > LIMIT:
            large[key] = None
        elif key not in found:
            found[key] = digest_of(*key)
    if large:
        with ThreadPoolExecutor(min(_MOST_THREADS, len(os.sched_getaffinity(0)))) as pool:
            found.update(zip(large, pool.map(lambda key: digest_of(*key), large)))
    return found


def digest_of(path: str, algorithm: str) -> str | None:
    """One file's digest, read in blocks."""
    make = _maker(algorithm)
    if make is None:
        return None
    digest = make()
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe in the place of a file must not hang this
    except (OSError, ValueError):
        return None
    try:
        while True:
            block = os.read(descriptor, _BLOCK)
            if not block:
                return digest.hexdigest()
            digest.update(block)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _maker(algorithm: str) -> Callable[[], hashlib._Hash] | None:
    make = getattr(hashlib, algorithm, None) if algorithm in hashlib.algorithms_guaranteed else None
    if make is None or algorithm.startswith("shake"):
        return None
    try:
        make()
    except ValueError:  # forbidden here (FIPS)
        return None
    found: Callable[[], hashlib._Hash] = make
    return found

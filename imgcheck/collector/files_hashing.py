"""Hashes of files, bounded: what is not hashed is counted by whoever asks, never taken for equal.

Floor: Python 3.8.
"""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from threading import Thread
from typing import Callable, Iterable, NamedTuple

SUSPECTED_LIMIT = 1 << 26
SUSPECTED_BUDGET = 1 << 28
_SMALL = 1 << 16
"""Bytes up to which a thread of its own costs more than it brings."""
_BLOCK = 1 << 20
_MOST_THREADS = 4


class Asked(NamedTuple):
    """A file that should have a digest."""

    path: str
    algorithm: str
    size: int


class Bounds:
    """Which files are worth their reading: suspected ones up to a budget, all of them where `deep`."""

    def __init__(self, *, deep: bool) -> None:
        self._deep = deep
        self._left = SUSPECTED_BUDGET

    def allow(self, size: int, suspected: bool) -> bool:
        if self._deep or not suspected:
            return self._deep
        if size > min(SUSPECTED_LIMIT, self._left):
            return False
        self._left -= size
        return True


def digests_of(asked: Iterable[Asked]) -> dict[Asked, str | None]:
    """Hexadecimal digests; None where a file cannot be read, or its algorithm is unknown.

    Small files one after the other, for threads would cost more than they bring; large ones side by side.
    """
    found: dict[Asked, str | None] = {}
    large: dict[Asked, None] = {}
    for one in asked:
        if one.size > _SMALL:
            large[one] = None
        elif one not in found:
            found[one] = digest_of(one.path, one.algorithm, one.size)
    _side_by_side(list(large), found)
    return found


def _side_by_side(large: list[Asked], found: dict[Asked, str | None]) -> None:
    """Hashlib lets other threads run. The largest ones are begun first, so that all end together."""
    large.sort(key=lambda one: one.size)

    def work() -> None:
        while True:
            try:
                one = large.pop()
            except IndexError:
                return
            found[one] = digest_of(one.path, one.algorithm, one.size)

    threads = [Thread(target=work) for _ in range(min(_MOST_THREADS, len(os.sched_getaffinity(0)), len(large)) - 1)]
    for thread in threads:
        try:
            thread.start()
        except RuntimeError:  # no more processes are allowed
            break
    work()
    for thread in threads:
        if thread.ident is not None:
            thread.join()


def digest_of(path: str, algorithm: str, size: int = _BLOCK) -> str | None:
    """One file's digest, read in blocks; `size` is what it probably has."""
    make = _maker(algorithm)
    if make is None:
        return None
    digest = make()
    block, read = min(size + 1, _BLOCK), 0
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe in the place of a file must not hang this
    except (OSError, ValueError):
        return None
    try:
        while True:
            data = os.read(descriptor, block)
            digest.update(data)
            read += len(data)
            if not data or (read == size and len(data) < block):
                return digest.hexdigest()
    except OSError:
        return None
    finally:
        os.close(descriptor)


@lru_cache(maxsize=None)
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

"""Reads the collector's answer lines. A lost, garbled, imitated or half answer is an error, never a fact."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from imgcheck.errors import CollectorError

LINE_LIMIT = 64 * 2**20
TOTAL_LIMIT = 2 * 2**30


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One fact: its kind, and what the collector says."""

    kind: str
    fields: dict[str, Any]


def read_answers(chunks: Iterable[bytes], secret: str) -> Iterator[Answer]:
    """Answers as they come, without the closing one.

    Args:
        chunks: the collector's standard output, cut anywhere.
        secret: what each genuine line carries.

    Raises:
        CollectorError: a line is not ours, out of sequence, too long, or the closing line is missing.
    """
    count = 0
    for line in _lines(chunks):
        count += 1
        answer = _parse(line, secret, count)
        if answer.kind == "end":
            if answer.fields.get("count") != count:
                raise CollectorError(f"the collector sent {answer.fields.get('count')} answers, and {count} came")
            return
        yield answer
    raise CollectorError(f"the collector's answer broke off after {count} lines")


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    pending: list[bytes] = []
    size = total = 0
    for chunk in chunks:
        total += len(chunk)
        if total > TOTAL_LIMIT:
            raise CollectorError("the collector's answer is larger than 2 GiB")
        head, *rest = chunk.split(b"\n")
        pending.append(head)
        size += len(head)
        for part in rest:
            yield b"".join(pending)
            pending, size = [part], len(part)
        if size > LINE_LIMIT:
            raise CollectorError("the collector sent a line of more than 64 MiB")
    if size:
        yield b"".join(pending)


def _parse(line: bytes, secret: str, number: int) -> Answer:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        raise CollectorError(f"the collector's answer is garbled at line {number}: {line[:200]!r}") from None
    if not isinstance(fields, dict) or fields.pop("secret", None) != secret:
        raise CollectorError(f"line {number} of the collector's answer is not the collector's")
    if fields.pop("number", None) != number:
        raise CollectorError(f"line {number} of the collector's answer is out of sequence")
    return Answer(kind=str(fields.pop("kind", "")), fields=fields)

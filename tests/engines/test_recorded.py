"""A file of facts that was changed by hand is refused with its name, whatever was changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from imgcheck.engines.recorded import read_recording
from imgcheck.errors import UsageError
from tests.fuzz.file_targets import recording

Lines = list[dict[str, Any]]


def _changed(change: Callable[[Lines], object]) -> bytes:
    """The digest is right for what was changed."""
    lines: Lines = [json.loads(line) for line in recording().splitlines()]
    end = lines.pop()
    change(lines)
    before = "".join(f"{json.dumps(one)}\n" for one in lines)
    return f"{before}{json.dumps({**end, 'sha256': hashlib.sha256(before.encode()).hexdigest()})}\n".encode()


def test_a_whole_one_is_read(tmp_path: Path) -> None:
    path = tmp_path / "facts.jsonl"
    path.write_bytes(_changed(lambda _: None))
    assert read_recording(path).python == "python3"


@pytest.mark.parametrize(
    "content",
    [
        _changed(lambda lines: lines[0].pop("python")),
        _changed(lambda lines: lines[0].update(environment=[1])),
        _changed(lambda lines: lines[0].update(variables=[1])),
        _changed(lambda lines: lines[1].update(request=[1])),
        _changed(lambda lines: lines[3].update(status=float("inf"))),
        recording() + b"[1]\n",
        recording() + b"[" * 5000,
        b"[" * 5000,
    ],
    ids=["no-python", "environment", "variables", "request", "status", "list-at-end", "nested-at-end", "nested"],
)
def test_what_was_changed_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "facts.jsonl"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"facts\.jsonl"):
        read_recording(path)

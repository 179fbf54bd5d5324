"""Reports that were written before, and what is said of files that are none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from imgcheck.errors import UsageError
from imgcheck.read_report import find

GOLDEN = Path(__file__).parent / "report" / "golden" / "broken.json"


def changed(change: Callable[[dict[str, Any]], object]) -> tuple[str, str]:
    """The id of the first finding, and the text of a report that was changed by hand."""
    report = json.loads(GOLDEN.read_text("utf-8"))
    identity = report["findings"][0]["id"]
    change(report)
    return identity, json.dumps(report)


def test_a_finding_is_as_it_was_written() -> None:
    identity = json.loads(GOLDEN.read_text("utf-8"))["findings"][0]["id"]
    finding, image = find(identity, GOLDEN)
    assert (finding.id, image) == (identity, "my/train:1")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda report: report["findings"][0].pop("excuse"), "'excuse' is missing"),
        (lambda report: report["findings"][0].update(state="well"), "state: Input should be"),
        (lambda report: report["findings"][0].update(location={"line": 1}), r"fault\.location\.file: Field required"),
        (lambda report: report["findings"][0].update(details=3), r"fault\.details: Input should be a valid tuple"),
        (lambda report: report.update(findings=[1]), "whole report"),
        (lambda report: report.update(image=None), "whole report"),
        (lambda report: report.update(format=99), "of this version"),
    ],
)
def test_a_report_that_was_changed_by_hand_is_told_by_file_and_key(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], told: str
) -> None:
    identity, text = changed(change)
    path = tmp_path / "r.json"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=told) as refusal:
        find(identity, path)
    assert str(path) in str(refusal.value)

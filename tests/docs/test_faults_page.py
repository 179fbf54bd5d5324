"""The page of faults shows what the tests assert."""

from __future__ import annotations

from tests.faults.table import PAGE, tables


def test_the_page_shows_the_table() -> None:
    assert tables() in PAGE.read_text("utf-8"), "python -m tests.faults.table writes it"

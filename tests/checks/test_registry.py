from __future__ import annotations

import re
from pathlib import Path

import pytest

import imgcheck.checks
from imgcheck.checks import CHECKS, Check

FOLDER = Path(imgcheck.checks.__file__).parent
PAGES = Path(__file__).parents[2] / "docs" / "checks"
FILES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in {"__init__", "check"})


def test_every_check_file_is_in_the_registry() -> None:
    assert sorted(check.name.replace("-", "_") for check in CHECKS) == FILES


def test_codes_are_unique_and_sorted() -> None:
    codes = [check.code for check in CHECKS]
    assert codes == sorted(set(codes))
    assert all(re.fullmatch(r"IC\d{3}", code) for code in codes)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_file_opens_with_its_code_and_exports_its_check(check: Check) -> None:
    text = (FOLDER / f"{check.name.replace('-', '_')}.py").read_text("utf-8")
    assert text.startswith(f'"""{check.code}: ')
    assert f'name="{check.name}"' in text


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_each_check_has_a_page_and_a_test(check: Check) -> None:
    page = (PAGES / f"{check.name}.md").read_text("utf-8")
    assert page.startswith(f"# {check.name} ({check.code})")
    for part in ("## What it means", "## Output", "## Why it matters", "## Example", "## Fix", "## Waive"):
        assert part in page
    assert (Path(__file__).parent / f"test_{check.name.replace('-', '_')}.py").exists()


def test_no_page_without_a_check() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} - {"README", "index"} <= {check.name for check in CHECKS} | {
        "expired-waiver",
        "unused-waiver",
    }

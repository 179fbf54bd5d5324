"""`imgcheck explain`: a check's page, or all that is known of one finding."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from imgcheck.checks import CHECKS
from imgcheck.errors import UsageError
from imgcheck.outcome import Finding
from imgcheck.pages import page, sections
from imgcheck.read_report import find
from imgcheck.selecting import CONTRACT_CHECKS, Named

_IDENTITY: Final = re.compile(r"IC\d{3}-[0-9a-f]{8}")


@dataclass(frozen=True, kw_only=True)
class Explained:
    """A page as Markdown; and the finding it is of, in an image, where one was asked for."""

    page: str
    finding: Finding | None = None
    image: str = ""


def explain(what: str, report: Path) -> Explained:
    """A name or code of a check, or the id of a finding of that report.

    Raises:
        UsageError: there is no such check, or no such finding.
    """
    if _IDENTITY.fullmatch(what):
        finding, image = find(what, report)
        return Explained(page=_way_out(finding.name), finding=finding, image=image)
    checks: tuple[Named, ...] = (*CHECKS, *CONTRACT_CHECKS)
    known = {word: one for one in checks for word in (one.name, one.code, one.code.lower())}
    if what not in known:
        close = get_close_matches(what, known, n=1) or get_close_matches(what.upper(), known, n=1)
        hint = f"Did you mean {close[0]}?" if close else "Give a check's name or code, or a finding's id."
        raise UsageError(f"{what!r} is neither a check nor the id of a finding", remedy=hint)
    check = known[what]
    return Explained(page=page(check.name))


def _way_out(name: str) -> str:
    """The parts of the page that help with one finding."""
    parts = sections(name)
    return "\n\n".join(f"## {one}\n{parts[one]}" for one in ("What it means", "Fix", "Waive") if one in parts)

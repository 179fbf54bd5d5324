"""Findings of a JSON report that was written before: the last run's, kept beside the facts, or one by its file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from platformdirs import user_cache_path
from pydantic import TypeAdapter, ValidationError

from imgcheck.contract.near_miss import did_you_mean
from imgcheck.errors import UsageError
from imgcheck.outcome import Finding, Report
from imgcheck.report.files import write_report
from imgcheck.report.json import FORMAT, render_json

_NAME: Final = "last-report.json"
_WORDS: Final = ("subject", "summary", "expected", "actual", "baseline", "remedy", "evidence")
_AGAIN: Final = "Run imgcheck check again, or name a report: --from report.json."


def last_report(cache_folder: Path | None) -> Path:
    return (cache_folder or user_cache_path("imgcheck")) / _NAME


def keep_last(report: Report, cache_folder: Path | None) -> None:
    """For `imgcheck explain`. Where it cannot be kept, that says so when it is asked."""
    path = last_report(cache_folder)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_report(render_json(report), path)


def find(identity: str, path: Path) -> tuple[Finding, str]:
    """A finding by its id, and the image that has it.

    Raises:
        UsageError: there is no such report, it is none, or it has no such finding.
    """
    document = _read(path)
    try:
        image = str(document["image"]["reference"])
        by_id = {str(one["id"]): one for one in document["findings"]}
        if identity in by_id:
            return _finding(by_id[identity]), image
    except (LookupError, TypeError, ValueError) as error:  # pydantic's are ValueErrors
        raise UsageError(f"{path}: is no whole report of imgcheck: {_said(error)}", remedy=_AGAIN) from None
    where = f"the report on {image} in {path}"
    raise UsageError(f"{identity}: {where} has no such finding{did_you_mean(identity, by_id)}", remedy=_AGAIN)


def _read(path: Path) -> Mapping[str, Any]:
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: no report is there: {error.strerror}", remedy=_AGAIN) from None
    except ValueError as error:
        raise UsageError(f"{path}: is no JSON report: {error}", remedy=_AGAIN) from None
    except RecursionError:
        raise UsageError(f"{path}: is no JSON report: it is nested too deep", remedy=_AGAIN) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT or "findings" not in document:
        raise UsageError(f"{path}: is no JSON report of this version of imgcheck", remedy=_AGAIN)
    return document


def _said(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
    return f"{error} is missing" if isinstance(error, LookupError) else str(error)


def _finding(told: Mapping[str, Any]) -> Finding:
    fault = {word: told[word] for word in (*_WORDS, "details", "location", "cause")}
    whole = {**{word: told[word] for word in ("code", "name", "state", "excuse")}, "fault": fault}
    return TypeAdapter(Finding).validate_python(whole)

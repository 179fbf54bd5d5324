"""For programs. The format is described by docs/report.schema.json; a change that breaks readers raises FORMAT."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from imgcheck.outcome import Cause, CheckResult, CheckState, Finding, FindingState, Location, Remark, Report, Source
from imgcheck.report.verdict import sentence, verdict

if TYPE_CHECKING:
    from imgcheck.gpu_summary import GpuRow, GpuSummary
    from imgcheck.inventory_diff import InventoryDiff
    from imgcheck.overview import Overview

FORMAT: Final = 1
GPU_FORMAT: Final = 1


def render_json(report: Report) -> str:
    return dump(document(report))


def render_gpu_json(summary: GpuSummary) -> str:
    """The answer of `imgcheck gpu`."""
    return dump(
        {
            "format": GPU_FORMAT,
            "image": {"reference": summary.image, "digest": summary.digest},
            **_gpu(summary),
            "notices": list(summary.notices),
        }
    )


def dump(value: Any) -> str:
    """ASCII only, so that no byte moves a terminal's cursor; DEL is the one that the json module lets through.

    Nor does a runner that reads the log find a command in it (##[name], ##vso[name]): the second # is an escape.
    """
    text = json.dumps(value, indent=2, ensure_ascii=True).replace("\x7f", "\\u007f")
    return text.replace("##", "#\\u0023") + "\n"


def document(report: Report) -> dict[str, Any]:
    """The report as JSON's own types."""
    return {
        "format": FORMAT,
        "verdict": verdict(report).value,
        "exit_code": int(report.exit_code),
        "sentence": sentence(report),
        "image": {
            "reference": report.image,
            "digest": report.digest,
            "repo_digests": list(report.repo_digests),
            "tags": list(report.tags),
        },
        "contract": {"path": report.contract, "digest": report.contract_digest},
        "base": {"reference": report.base, "digest": report.base_digest} if report.base else None,
        "strict": report.strict,
        "strict_base": report.strict_base,
        "counts": {
            "checks": _counts(CheckState, report.checks_by_state),
            "findings": _counts(FindingState, report.findings_by_state),
        },
        "checks": [_check(result) for result in report.results],
        "findings": [_finding(finding) for finding in report.findings],
        "gpu": _gpu(report.gpu) if report.gpu else None,
        "overview": _overview(report.overview) if report.overview else None,
        "sources": [_source(source) for source in report.sources],
        "notices": list(report.notices),
        "remarks": [_remark(remark) for remark in report.remarks],
    }


def _counts(states: Iterable[Enum], counter: Counter[Any]) -> dict[str, int]:
    return {state.value: counter[state] for state in states}


def _check(result: CheckResult) -> dict[str, Any]:
    return {
        "code": result.code,
        "name": result.name,
        "summary": result.summary,
        "state": result.state.value,
        "reason": result.reason,
        "examined": result.examined,
        "unit": result.unit,
        "passed_over": [{"reason": reason, "count": count} for reason, count in result.passed_over],
        "findings": _counts(FindingState, Counter(finding.state for finding in result.findings)),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    fault = finding.fault
    return {
        "id": finding.id,
        "code": finding.code,
        "name": finding.name,
        "state": finding.state.value,
        "excuse": finding.excuse,
        "subject": fault.subject,
        "summary": fault.summary,
        "expected": fault.expected,
        "actual": fault.actual,
        "baseline": fault.baseline,
        "remedy": fault.remedy,
        "cause": _cause(fault.cause),
        "location": _location(fault.location),
        "details": list(fault.details),
        "evidence": fault.evidence,
    }


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "step": cause.step,
        "step_location": _location(cause.step_location),
        "requirement": cause.requirement,
        "location": _location(cause.location),
        "how": cause.how,
        "path": list(cause.path),
    }


def _location(location: Location | None) -> dict[str, Any] | None:
    return {"file": location.file, "line": location.line} if location else None


def _source(source: Source) -> dict[str, Any]:
    return {
        "what": source.what,
        "image": source.image,
        "reused": source.reused,
        "collected_at": source.collected_at,
        "seconds": source.seconds,
    }


def _remark(remark: Remark) -> dict[str, Any]:
    return {
        "kind": remark.kind.value,
        "subject": remark.subject,
        "detail": remark.detail,
        "others": remark.others,
    }


def _gpu(summary: GpuSummary) -> dict[str, Any]:
    return {
        "capabilities": list(summary.capabilities),
        "driver": summary.driver or None,
        "libraries": [_gpu_row(one, summary.capabilities) for one in summary.rows],
        "claims": {owner: list(names) for owner, names in summary.claims},
        "toolkits": list(summary.toolkits),
    }


def _overview(overview: Overview) -> dict[str, Any]:
    versions = overview.versions
    return {
        "steps": [asdict(one) for one in overview.steps],
        "untraced": list(overview.untraced),
        "versions": _versions(versions) if versions else None,
        "sweep": [asdict(one) for one in overview.sweep],
    }


def _versions(versions: InventoryDiff) -> dict[str, Any]:
    return {**asdict(versions), "moved": [{**asdict(one), "direction": one.direction.value} for one in versions.moved]}


def _gpu_row(row: GpuRow, capabilities: Iterable[str]) -> dict[str, Any]:
    return {
        "owner": row.owner,
        "file": row.file or None,
        "cuda": list(row.cuda),
        "architectures": list(row.architectures),
        "ptx": list(row.ptx),
        "driver": row.driver,
        "runs": {name: runs.value for name, runs in zip(capabilities, row.runs, strict=True)},
    }

"""From contract and observed facts to a report; again and again, without an engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from imgcheck.blaming import BuildSource, blame
from imgcheck.checks import CHECKS
from imgcheck.contract.loader import load_contract
from imgcheck.contract.model import Contract
from imgcheck.errors import CollectorError
from imgcheck.facts.layers import LayerFacts
from imgcheck.gpu_summary import summarise_gpu
from imgcheck.judging import Selection, judge
from imgcheck.observed import Observed, read_observed
from imgcheck.outcome import CheckResult, Report
from imgcheck.overview import overview_of
from imgcheck.probes import resolve
from imgcheck.remarks import notices_of, remarks_of


def report_of(
    contract: Contract,
    seen: Observed,
    selected: Selection,
    *,
    strict: bool,
    strict_base: bool,
    source: BuildSource | None = None,
    read_layers: Callable[[], LayerFacts] | None = None,
) -> Report:
    """Judges, finds who did it, and adds what is worth drawing.

    Raises:
        UsageError: a selector names no check.
    """
    results = judge(
        contract,
        seen.facts,
        seen.baseline,
        CHECKS,
        selected=selected,
        strict_base=strict_base,
        today=date.today(),  # noqa: DTZ011 - a waiver's end date is the owner's local date
        problems=seen.problems,
        untold=seen.untold,
    )
    results = _remembered(blame(results, seen.facts, seen.baseline, source, read_layers or _no_layers), seen)
    return Report(
        image=seen.facts.image.reference,
        digest=seen.facts.image.digest,
        contract=contract.path,
        contract_digest=contract.digest,
        base=contract.base.image if contract.base else "",
        base_digest=seen.base.digest if seen.base else "",
        results=results,
        sources=seen.sources,
        notices=(*seen.notices, *notices_of(seen.facts.imports)),
        remarks=remarks_of(seen.facts.imports),
        gpu=summarise_gpu(seen.facts, contract.gpu) if contract.gpu and seen.facts.native else None,
        overview=overview_of(seen.facts, seen.base),
        tags=seen.tags,
        repo_digests=seen.facts.image.repo_digests,
        strict=strict,
        strict_base=strict_base,
    )


def report_again(facts: Path, contract_path: Path, selected: Selection, *, strict: bool, strict_base: bool) -> Report:
    """The report of a run whose facts were saved, as the contract is now.

    Raises:
        UsageError: the facts cannot be read, or a selector names no check.
        ContractError: the contract cannot be used.
    """
    seen = read_observed(facts)
    contract = load_contract(contract_path)
    resolve(contract)
    again = f"judged again from the facts of {seen.facts.image.reference} that were saved in {facts}"
    seen = seen.model_copy(update={"notices": (again, *seen.notices)})
    return report_of(contract, seen, selected, strict=strict, strict_base=strict_base)


def with_causes(seen: Observed, report: Report) -> Observed:
    """The same, with what the report says of who did it: a later judgement has no build to ask."""
    causes = {one.id: one.fault.cause for one in report.findings if one.fault.cause.step or one.fault.cause.location}
    return seen.model_copy(update={"causes": causes})


def _remembered(results: Sequence[CheckResult], seen: Observed) -> tuple[CheckResult, ...]:
    if not seen.causes:
        return tuple(results)
    return tuple(
        replace(
            result,
            findings=tuple(
                replace(one, fault=replace(one.fault, cause=seen.causes.get(one.id, one.fault.cause)))
                for one in result.findings
            ),
        )
        for result in results
    )


def _no_layers() -> LayerFacts:
    raise CollectorError("the image's layers were not read")

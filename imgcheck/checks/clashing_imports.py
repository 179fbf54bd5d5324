"""IC305: modules that can be imported one by one break when one process imports them all."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract, Imports
from imgcheck.diagnosis.causes import normalised
from imgcheck.diagnosis.clashing import Clash, clashes_of, half_loaded
from imgcheck.diagnosis.company import company_of
from imgcheck.diagnosis.ownership import owners_of
from imgcheck.diagnosis.sweep import tail
from imgcheck.facts.model import Facts
from imgcheck.facts.together import TogetherFacts
from imgcheck.outcome import Fault, Judgement


def judge(contract: Contract, facts: Facts) -> Judgement:
    together = facts.together or TogetherFacts()
    asked = (contract.import_options or Imports()).together is not None
    names = together.runs[0].order if together.runs else ()
    clashes = list(clashes_of(together))
    alone = {one.module for one in clashes if one.alone}
    left_out = company_of(contract, facts.inventory, facts.imports).left_out
    over = (
        ("fail alone as well: see unimportable-module", 0 if asked else len(alone)),
        ("asked for by name, and beyond the first ones: name them in imports.together", left_out),
    )
    notes = half_loaded(together).items()
    return Judgement(
        examined=len(names) - len(alone),
        unit="modules",
        faults=(
            *(_fault(contract, facts, one) for one in clashes if asked or not one.alone),
            *(_note(facts, module, line, meaning) for line, (module, meaning) in notes),
        ),
        passed_over=tuple((reason, count) for reason, count in over if count),
    )


def _fault(contract: Contract, facts: Facts, clash: Clash) -> Fault:
    subject = clash.module or "the end of the process"
    return Fault(
        subject=subject,
        summary=f"{subject} fails{'' if clash.alone else ', ' + clash.company}: {tail(clash.how, 1)}",
        expected="imported together with the others, as alone" if not clash.alone else "importable (imports.together)",
        actual=clash.how,
        remedy=_remedy(facts, clash),
        location=contract.where("imports", "together"),
        evidence=tail(clash.evidence),
        details=(clash.module, *clash.later) if clash.later else (),
        identity=f"{normalised(clash.how)} after {clash.after}",
    )


def _remedy(facts: Facts, clash: Clash) -> str:
    if clash.alone:
        return f"Install what has {clash.module}, or take it out of imports.together."
    owners = owners_of(facts)
    pair = [owners.of_module(one) or one for one in (clash.module, clash.after) if one]
    return (
        f"Choose builds of {' and '.join(pair)} made for one another: often both bring the same library, or patch it."
    )


def _note(facts: Facts, module: str, line: str, meaning: str) -> Fault:
    subject = module or "the end of the process"
    verdicts = facts.imports.modules if facts.imports else ()
    alone = any(one.module == module and line in one.stderr for one in verdicts)
    return Fault(
        subject=subject,
        summary=f"Importing {subject} {'alone' if alone else 'with others'} raises nothing and says: {line[:200]}",
        expected="loaded whole",
        actual=meaning,
        remedy=f"What {subject} loads is half there ({meaning}): reinstall builds that fit one another.",
        evidence=line,
        identity=normalised(line),
        note=True,
    )


CHECK = Check(
    code="IC305",
    name="clashing-imports",
    summary="Modules that can be imported one by one break in one process",
    needs=Needs.TOGETHER,
    applies=lambda contract: bool(contract.imports),
    judge=judge,
)

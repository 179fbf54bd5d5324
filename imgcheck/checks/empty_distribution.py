"""IC201: a distribution is installed and holds nothing to import, though its metadata says that there is something."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.contents import Content, content_of, hollow_ones, module_owners
from imgcheck.diagnosis.requirements import label, winners
from imgcheck.facts.model import Distribution, Facts
from imgcheck.outcome import Fault, Judgement

_FAULTY = {
    Content.NOTHING: (
        "{label} is installed and holds no file besides its metadata",
        "Reinstall {name}; if it stays empty the wheel was built without its packages: choose another version.",
    ),
    Content.DOCUMENTATION: (
        "{label} is installed and holds nothing but documentation, such as {example}",
        "Reinstall {name}; if it stays empty the wheel was built without its packages: choose another version.",
    ),
    Content.CLAIMS: (
        "{label} is installed and holds no module, though its {source} {claims}",
        "Reinstall {name}; if it stays empty the wheel was built without its packages: choose another version.",
    ),
    Content.EDITABLE: (
        "{label} is an editable install, and its source folder holds no module in this image",
        "Install {name} without --editable, or copy its source folder into the final stage.",
    ),
    Content.REQUIREMENTS: (
        "{label} holds nothing but requirements: a meta-package, or a wheel built without its packages",
        "Nothing is to be done for a meta-package. Otherwise choose another version of {name}.",
    ),
    Content.SCRIPTS: (
        "{label} holds scripts and no module: a distribution of programs, or a wheel built without its packages",
        "Nothing is to be done for programs. Otherwise choose another version of {name}.",
    ),
    Content.STUBS: (
        "{label} holds type stubs, such as {example}, and nothing has the module that they describe",
        "Nothing is to be done if only a type checker reads them. Otherwise choose another version of {name}.",
    ),
    Content.HOLLOW: (
        "{label} holds empty modules and nothing else: a namespace's stub, or a wheel built without its subpackages",
        "Nothing is to be done for a stub. Otherwise choose another version of {name}, or mend its build.",
    ),
    Content.UNKNOWN: (
        "Whether {label} is empty cannot be told: {problem}",
        "Reinstall {name} with pip, which writes RECORD.",
    ),
}

_NOTES = (Content.REQUIREMENTS, Content.SCRIPTS, Content.STUBS, Content.HOLLOW)


def judge(_contract: Contract, facts: Facts) -> Judgement:
    owners = module_owners(facts.inventory)
    hollow = hollow_ones(facts.files)
    contents = [(one, *content_of(one, owners, hollow)) for one in winners(facts.inventory)]
    data = sum(content is Content.DATA for _, content, _ in contents)
    faults = (_fault(one, content, claims) for one, content, claims in contents if content in _FAULTY)
    return Judgement(
        examined=len(contents) - data,
        unit="distributions",
        faults=tuple(faults),
        passed_over=(("hold data, programs or type stubs, and no module", data),) if data else (),
    )


def _fault(distribution: Distribution, content: Content, claims: tuple[str, ...]) -> Fault:
    summary, remedy = _FAULTY[content]
    words = {
        "label": label(distribution),
        "name": distribution.name,
        "claims": ", ".join(claims),
        "source": "scripts import" if set(claims) <= set(distribution.unfound) else "metadata names",
        "example": next(iter(distribution.others), ""),
        "problem": distribution.problem or "no RECORD says what it should hold",
    }
    return Fault(
        subject=distribution.canonical_name,
        summary=summary.format_map(words),
        expected=f"modules {words['claims']}" if claims else "importable modules",
        actual=f"{content.value} in {distribution.metadata_path}",
        remedy=remedy.format_map(words),
        identity=f"{distribution.version} {content.value}",
        unverified=content is Content.UNKNOWN,
        note=content in _NOTES,
        blame=(distribution.canonical_name,),
    )


CHECK = Check(
    code="IC201",
    name="empty-distribution",
    summary="A distribution is installed and holds nothing to import",
    needs=Needs.INVENTORY,
    applies=lambda _contract: True,
    judge=judge,
)

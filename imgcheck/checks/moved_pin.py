"""IC101: a distribution that the contract pins is installed at a version that the pin does not allow."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract, specifier_set
from imgcheck.diagnosis.pins import Move, broken_dependants, forcing_needs
from imgcheck.diagnosis.requirements import Need, label, needs_of
from imgcheck.diagnosis.versions import allows, how_moved, parse_version
from imgcheck.facts.model import Distribution, Facts
from imgcheck.outcome import Cause, Fault, Judgement


def judge(contract: Contract, facts: Facts) -> Judgement:
    needs = needs_of(facts.inventory)
    installed = {name: one for name in sorted(contract.pins) if (one := facts.inventory.find(name))}
    faults = (_judge_pin(contract, name, one, needs) for name, one in installed.items())
    missing = len(contract.pins) - len(installed)
    return Judgement(
        examined=len(installed),
        unit="pins",
        faults=tuple(fault for fault in faults if fault),
        passed_over=(("not installed: see missing-pin", missing),) if missing else (),
    )


def _judge_pin(contract: Contract, name: str, installed: Distribution, needs: tuple[Need, ...]) -> Fault | None:
    pin = contract.pins[name]
    version = parse_version(installed.version)
    where = contract.where("pins", name)
    if version is None:
        return Fault(
            subject=name,
            summary=f"{name} has the version {installed.version!r}, which cannot be compared with the pin {pin}",
            expected=pin,
            actual=f"{installed.version!r} is no version (PEP 440)",
            remedy=f"Reinstall {name}: its metadata is damaged, or made by a packager of its own.",
            location=where,
            unverified=True,
        )
    if allows(specifier_set(pin), version):
        return None
    move = Move(name=name, pin=specifier_set(pin), version=version)
    forcing = forcing_needs(move, needs, contract.pins)
    return Fault(
        subject=name,
        summary=f"{name} {how_moved(move.pin, version)}: {installed.version} is installed, the contract pins {pin}",
        expected=pin,
        actual=installed.version,
        remedy=_remedy(name, pin, forcing),
        cause=Cause(requirement=forcing[0].sentence if forcing else ""),
        location=where,
        evidence=_evidence(move, forcing, broken_dependants(move, needs)),
        blame=(name,),
    )


def _evidence(move: Move, forcing: tuple[Need, ...], broken: tuple[Need, ...]) -> str:
    lines = [f"{need.sentence}: no version that the pin allows meets it" for need in forcing]
    lines += [f"{need.sentence}: {move.version} does not meet it" for need in broken]
    return "\n".join(lines)


def _remedy(name: str, pin: str, forcing: tuple[Need, ...]) -> str:
    if not forcing:
        return f"Nothing installed asks for it: install with the pins as constraints, or change the pin {pin}."
    owner = forcing[0].owner
    return (
        f"Choose a version of {owner.name} that accepts {name} {pin}, or install without {label(owner)}. "
        f"If the base shall move, change the pin."
    )


CHECK = Check(
    code="IC101",
    name="moved-pin",
    summary="A pinned distribution is installed at another version",
    needs=Needs.INVENTORY,
    applies=lambda contract: bool(contract.pins),
    judge=judge,
    inheritable=False,
)

"""IC208: a distribution is made for another Python or another machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.elf_machines import machine_name
from imgcheck.diagnosis.file_owners import FileOwners
from imgcheck.diagnosis.requirements import label, winners
from imgcheck.diagnosis.versions import allows, parse_version
from imgcheck.diagnosis.wheel_tags import unfit_tags
from imgcheck.facts.files import ForeignFile
from imgcheck.facts.model import Distribution, Facts, InterpreterFacts
from imgcheck.outcome import Fault, Judgement

_REMEDY = (
    "Reinstall {name} with the pip of this very interpreter ({python}), without --platform, --python-version, --target."
)


def judge(_contract: Contract, facts: Facts) -> Judgement:
    owners = FileOwners.of(facts)
    judged = winners(facts.inventory)
    files = _foreign_files(owners)
    faults: list[Fault] = []
    for one in judged:
        found = _fault(one, facts.inventory.interpreter, files.get(one.metadata_path, []), owners)
        if found:
            faults.append(found)
    return Judgement(examined=len(judged), unit="distributions", faults=tuple(faults))


def _foreign_files(owners: FileOwners) -> dict[str, list[ForeignFile]]:
    found: defaultdict[str, list[ForeignFile]] = defaultdict(list)
    for one in owners.files.foreign:
        found[one.owner].append(one)
    return found


def _fault(
    one: Distribution, interpreter: InterpreterFacts, files: list[ForeignFile], owners: FileOwners
) -> Fault | None:
    why = next(_reasons(one, interpreter, files, owners), None)
    if why is None:
        return None
    summary, expected, actual = why
    return Fault(
        subject=one.canonical_name,
        summary=f"{label(one)} {summary}",
        expected=expected,
        actual=actual,
        remedy=_REMEDY.format(name=one.name, python=interpreter.executable),
        evidence="\n".join(file.path for file in files[:10]),
        identity=f"{one.version} {actual}",
    )


def _reasons(
    one: Distribution, interpreter: InterpreterFacts, files: list[ForeignFile], owners: FileOwners
) -> Iterator[tuple[str, str, str]]:
    """Of several reasons the first one tells."""
    here = f"Python {interpreter.markers['python_version']} on {interpreter.platform}"
    packaged = one.metadata_path in owners.packaged  # Debian installs one tree for several versions, and one WHEEL
    tags = () if packaged else unfit_tags(one.wheel_tags, interpreter)
    if tags:
        yield f"is a wheel for {tags[0]}, and the image runs {here}", f"a wheel for {here}", ", ".join(tags[:5])
    unmet = _unmet_python(one, interpreter)
    if unmet:
        yield f"requires Python {unmet}, and the image runs {interpreter.version}", unmet, interpreter.version
    loadable = {name for name, kind, group in one.modules if kind == "extension" and group != "other-abi"}
    abis = sorted({file.other_abi for file in files if file.other_abi})
    if abis and not loadable:
        yield f"has compiled modules for {', '.join(abis)} only, and the image runs {here}", here, ", ".join(abis)
    machine = owners.files.machine
    others = [file for file in files if file.machine not in (0, machine) and _module(file, one) in loadable]
    if machine and others:
        there = machine_name(others[0].machine)
        yield (
            f"has compiled modules for {there}, and the image runs on {machine_name(machine)}",
            machine_name(machine),
            there,
        )


def _unmet_python(one: Distribution, interpreter: InterpreterFacts) -> str:
    version = parse_version(interpreter.version)
    try:
        wanted = SpecifierSet(one.requires_python)
    except InvalidSpecifier:
        return ""
    return "" if version is None or allows(wanted, version) else one.requires_python


def _module(file: ForeignFile, one: Distribution) -> str:
    """The dotted name of a file below the distribution's location."""
    relative = file.path.removeprefix(one.location.rstrip("/") + "/")
    folder, _, name = relative.rpartition("/")
    return ".".join((*filter(None, folder.split("/")), name.partition(".")[0]))


CHECK = Check(
    code="IC208",
    name="foreign-wheel",
    summary="A distribution is made for another Python or another machine",
    needs=Needs.FILES,
    applies=lambda _contract: True,
    judge=judge,
)

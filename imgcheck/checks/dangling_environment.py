"""IC806: a variable names a path or a package that is not there, or is known to break what is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.requirements import Requirement

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.contents import module_owners
from imgcheck.diagnosis.known_variables import (
    LOCALE_SOURCE,
    LOCALES,
    PATHS,
    VALUES,
    ZONE_DISTRIBUTION,
    ZONE_PATH,
    ZONE_SOURCE,
    PathRule,
    ValueRule,
)
from imgcheck.diagnosis.requirements import label
from imgcheck.diagnosis.versions import allows, parse_version
from imgcheck.facts.model import Distribution, Facts, Inventory
from imgcheck.facts.surroundings import PathFacts, Surroundings
from imgcheck.outcome import Fault, Judgement

_FOUND = {"missing": "nothing", "dangling": "a link to nowhere", "closed": "nothing that this user may look at"}
_ZONE = re.compile(r":?[A-Za-z_]+(?:/[A-Za-z0-9_+-]+)+")
_FITS = {"file": ("file", "other"), "folder": ("folder",), "either": ("file", "folder")}


def judge(contract: Contract, facts: Facts) -> Judgement:
    known = facts.surroundings or Surroundings()
    set_here = {name.partition("=")[0] for name in facts.image.env} | set(contract.runtime.env)
    variables = {name: value for name, value in known.environment if name in set_here}
    return Judgement(
        examined=len(variables),
        unit="variables",
        faults=(
            *(
                fault
                for name, rule in PATHS.items()
                if name in variables
                for fault in _paths(name, rule, variables[name], facts)
            ),
            *(
                fault
                for rule in VALUES
                if rule.variable in variables
                for fault in _value(rule, variables[rule.variable], facts)
            ),
            *_locale(variables, known),
            *_zone(variables, facts),
        ),
    )


def _paths(name: str, rule: PathRule, value: str, facts: Facts) -> Iterator[Fault]:
    known = facts.surroundings or Surroundings()
    if rule.of and facts.inventory.find(rule.of) is None:
        return
    parts = re.split(f"[{re.escape(rule.many)}]", value) if rule.many else [value]
    for part in dict.fromkeys(parts):
        there = known.at(part) if part.startswith("/") else None
        if there is not None and there.kind not in _FITS[rule.kind]:
            yield _path_fault(name, rule, there)


def _path_fault(name: str, rule: PathRule, there: PathFacts) -> Fault:
    wanted = {"file": "a file", "folder": "a folder", "either": "a folder or a zip file"}[rule.kind]
    found = _FOUND.get(there.kind, f"a {there.kind}")
    return Fault(
        subject=name,
        summary=f"{name} names {there.path}, and {found} is there",
        expected=wanted,
        actual=found,
        remedy=f"Create it in the build, correct the variable, or take it out. Where the cluster mounts it, name the "
        f"mount under runtime.mounts. ({rule.source})",
        identity=f"{there.path}: {found}",
        note=rule.harmless,
    )


def _value(rule: ValueRule, value: str, facts: Facts) -> Iterator[Fault]:
    found = re.fullmatch(rule.matches, value)
    owner = _installed(rule.with_, facts.inventory)
    if not found or owner is None or any(facts.inventory.find(one) for one in rule.without):
        return
    if rule.module and found.group(rule.module) in module_owners(facts.inventory):
        return
    yield Fault(
        subject=rule.variable,
        summary=f"{rule.variable}={value} with {label(owner)}: {rule.says}",
        expected="no such value",
        actual=value,
        remedy=f"{rule.remedy} ({rule.source})",
        identity=value,
        note=rule.slow,
    )


def _installed(wanted: str, inventory: Inventory) -> Distribution | None:
    """A distribution that meets a requirement; a version that cannot be compared does."""
    requirement = Requirement(wanted)
    found = inventory.find(requirement.name)
    version = parse_version(found.version) if found else None
    return found if version is None or allows(requirement.specifier, version) else None


def _locale(variables: dict[str, str], known: Surroundings) -> Iterator[Fault]:
    named = next((name for name in LOCALES if variables.get(name)), None)
    if known.locale and named:
        yield Fault(
            subject=named,
            summary=f"{named}={variables[named]} asks for a locale that the image does not have: {known.locale}",
            expected="a locale that is generated",
            actual=variables[named],
            remedy=f"Set {named}=C.UTF-8, or generate the locale in the build. ({LOCALE_SOURCE})",
        )


def _zone(variables: dict[str, str], facts: Facts) -> Iterator[Fault]:
    known = facts.surroundings or Surroundings()
    zone, folders = variables.get("TZ", ""), variables.get(ZONE_PATH)
    if _ZONE.fullmatch(zone) and not known.zone:
        yield Fault(
            subject="TZ",
            summary=f"TZ={zone} names a time zone that the image has no file for: the clock silently shows UTC",
            expected=f"/usr/share/zoneinfo/{zone}",
            actual="no such file",
            remedy="Install the system's tzdata in the build, or take TZ out. (tzset(3))",
            identity=zone,
        )
    if folders is None or facts.inventory.find(ZONE_DISTRIBUTION):
        return
    entries = [known.at(part) for part in folders.split(":") if part]
    if not any(one and one.kind == "folder" for one in entries):
        yield Fault(
            subject=ZONE_PATH,
            summary=f"{ZONE_PATH}={folders} leads to no folder, and {ZONE_DISTRIBUTION} is not installed: zoneinfo has "
            "no data",
            expected="a folder of time zones",
            actual="none",
            remedy=f"Take {ZONE_PATH} out, or install the distribution {ZONE_DISTRIBUTION}. ({ZONE_SOURCE})",
            identity=folders,
        )


CHECK = Check(
    code="IC806",
    name="dangling-environment",
    summary="A variable names what is not there, or breaks what is installed",
    needs=Needs.SURROUNDINGS,
    applies=lambda _contract: True,
    judge=judge,
)

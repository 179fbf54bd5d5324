"""IC206: a file beside the program, or in a folder of PYTHONPATH, hides a module of the same name."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.naming import GENERIC
from imgcheck.diagnosis.requirements import label
from imgcheck.facts.model import Facts, Inventory
from imgcheck.facts.surroundings import Shadow, Surroundings
from imgcheck.outcome import Fault, Judgement

_WHOSE = "Python's own"


def judge(_contract: Contract, facts: Facts) -> Judgement:
    known = facts.surroundings or Surroundings()
    same = [one for one in known.shadows if one.same]
    generic = [one for one in known.shadows if not one.same and one.name in GENERIC]
    over = {
        "hide a module of the same content": len(same),
        "hide a module that has a name of anybody's": len(generic),
    }
    return Judgement(
        examined=len(known.fronts),
        unit="folders before the standard library",
        faults=tuple(_fault(one, facts) for one in known.shadows if one not in same and one not in generic),
        passed_over=tuple((reason, count) for reason, count in over.items() if count),
    )


def _fault(one: Shadow, facts: Facts) -> Fault:
    whose = _owner(one, facts.inventory)
    folder = one.path.removesuffix("/__init__.py").rpartition("/")[0]
    how = {
        "entry script": "the folder of the script that is run comes first on sys.path",
        "working folder": "`python -m` and `python -c` put the working folder first on sys.path",
        "PYTHONPATH": "folders of PYTHONPATH come before the standard library and site-packages",
    }[one.why]
    part = "the part of it that is there, and all below" if one.namespace else one.hidden
    return Fault(
        subject=one.name,
        summary=f"{one.path} hides the module {one.name} of {whose}: {how}",
        expected=one.hidden,
        actual=one.path,
        remedy=f"Rename {one.path.removesuffix('/__init__.py')}, or run from another folder than {folder or '/'}. What "
        f"needs {one.name} of {whose} does not get {part}.",
        identity=f"{one.path} hides {whose}",
    )


def _owner(one: Shadow, inventory: Inventory) -> str:
    """By the module's name; the version makes no difference to what is hidden."""
    if one.name in inventory.interpreter.stdlib:
        return _WHOSE + " library"
    start = one.name + "."
    owners = [
        known
        for known in inventory.distributions
        if any(name == one.name or name.startswith(start) for name, _, _ in known.modules)
    ]
    return ", ".join(label(known) for known in owners[:3]) or one.hidden


CHECK = Check(
    code="IC206",
    name="shadowed-module",
    summary="A file in a folder that comes first on sys.path hides a module",
    needs=Needs.SURROUNDINGS,
    applies=lambda _contract: True,
    judge=judge,
)

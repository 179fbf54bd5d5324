"""IC205: a .pth line, an editable install or a symbolic link leads to what is not in the image."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.counting import counted
from imgcheck.diagnosis.file_owners import FileOwners
from imgcheck.facts.files import BeyondFiles, DanglingPath
from imgcheck.facts.model import Facts
from imgcheck.outcome import Fault, Judgement

_WHAT = {
    "pth": ("line {line} of {source} names a folder that is not in the image: {target}", "a folder"),
    "finder": ("the editable install of {owner} finds its modules at {target}, which is not in the image", "sources"),
    "egg-link": ("{source} leads to a source folder that is not in the image: {target}", "a source folder"),
    "symlink": ("{source} is a symbolic link to {target}, which is not in the image", "a file or folder"),
}
_REMEDY = {
    "pth": "Copy {target} into the final stage, install without --editable, or delete {source}.",
    "finder": "Install {owner} without --editable, or copy its source folder into the final stage.",
    "egg-link": "Install {owner} without --editable (or develop), or copy its source folder into the final stage.",
    "symlink": "Copy what the link leads to (cp -L, COPY of the target), or delete the link.",
}
_PACKAGES = ("dpkg ", "apk ", "conda ")


def judge(_contract: Contract, facts: Facts) -> Judgement:
    owners = FileOwners.of(facts)
    packaged = sum(one.owner.startswith(_PACKAGES) for one in owners.files.dangling)
    return Judgement(
        examined=len(owners.files.roots),
        unit="folders of sys.path",
        faults=(
            *(_fault(one, owners) for one in owners.files.dangling if not one.owner.startswith(_PACKAGES)),
            *(_beyond(one, owners) for one in owners.files.beyond if one.owner not in owners.packaged),
        ),
        passed_over=(("links of a package manager's to what it did not install", packaged),) if packaged else (),
    )


def _beyond(one: BeyondFiles, owners: FileOwners) -> Fault:
    prefix = owners.inventory.interpreter.prefix
    return Fault(
        subject=owners.subject(one.owner),
        summary=f"RECORD of {owners.label(one.owner)} names {counted(one.files, 'file')} outside of {prefix}, such as "
        f"{one.paths[0]}: to uninstall it would delete what is there",
        expected=f"files below {prefix}",
        actual=counted(one.files, "file"),
        remedy="Reinstall it; a wheel whose RECORD leaves the environment is broken, or was moved.",
        evidence="\n".join(one.paths),
        identity="outside of the prefix",
        note=True,
    )


def _fault(one: DanglingPath, owners: FileOwners) -> Fault:
    name = one.source.rpartition("/")[2]
    known = owners.by_metadata.get(one.owner)
    words = {"source": one.source, "target": one.target, "line": one.line, "owner": known.name if known else name}
    summary, expected = _WHAT[one.kind]
    text = summary.format_map(words)
    return Fault(
        subject=known.canonical_name if known else name.removesuffix(".egg-link"),
        summary=text[0].upper() + text[1:] if not text.startswith("/") else text,
        expected=expected,
        actual=f"nothing at {one.target}",
        remedy=_REMEDY[one.kind].format_map(words),
        identity=f"{one.kind} {name} {one.target}",
    )


CHECK = Check(
    code="IC205",
    name="dangling-path",
    summary="A .pth line, an editable install or a link leads to what is not in the image",
    needs=Needs.FILES,
    applies=lambda _contract: True,
    judge=judge,
)

"""IC207: site-packages holds modules that no distribution owns, so that nothing knows their version."""

from __future__ import annotations

from pathlib import PurePosixPath

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.counting import counted, verb
from imgcheck.diagnosis.file_owners import FileOwners
from imgcheck.diagnosis.known_files import UNLISTED_FILES
from imgcheck.facts.files import FileFacts, UnownedFiles
from imgcheck.facts.model import Facts
from imgcheck.outcome import Fault, Judgement

_SITES = ("site-packages", "dist-packages")
_SYSTEM = ("/usr/lib/", "/usr/lib64/")


def judge(_contract: Contract, facts: Facts) -> Judgement:
    owners = FileOwners.of(facts)
    files = owners.files
    unlisted = [one for one in files.unowned if _is_unlisted(one, files)]
    known = [one for one in files.unowned if one.name in UNLISTED_FILES and one not in unlisted]
    own = [
        one for one in files.unowned if one not in (*unlisted, *known) and PurePosixPath(one.root).name not in _SITES
    ]
    aside = (*unlisted, *known, *own)
    over = {
        f"belong to {files.unlisted} packages, whose lists are not read": sum(one.files for one in unlisted),
        "put there by a known tool without a list": sum(one.files for one in known),
        "lie in a folder of your own beside what was installed there": sum(one.files for one in own),
    }
    return Judgement(
        examined=sum(one.listed for one in files.owners) + sum(one.files for one in files.unowned) - sum(over.values()),
        unit="files",
        faults=tuple(_fault(one) for one in files.unowned if one not in aside),
        passed_over=tuple((reason, count) for reason, count in over.items() if count),
    )


def _is_unlisted(one: UnownedFiles, files: FileFacts) -> bool:
    return bool(files.unlisted) and one.root.startswith(_SYSTEM)


def _fault(one: UnownedFiles) -> Fault:
    name = one.name.partition(".")[0]
    count = counted(one.files, "file")
    if one.inside:
        return Fault(
            subject=name,
            summary=f"{count} inside {one.name} {verb(one.files, 'is', 'are')} on no distribution's list, such as "
            f"{one.paths[0]}",
            actual=f"{count} in {one.root}",
            remedy="If two versions lie over one another, uninstall until none is left and install once. Files that "
            "a program makes beside its code belong elsewhere.",
            evidence="\n".join(one.paths),
            details=one.paths,
            identity="unlisted files inside",
            note=True,
        )
    return Fault(
        subject=name,
        summary=f"{one.name} in {one.root} belongs to no distribution: its version is unknown, no constraint holds "
        "it, and none of its modules is verified",
        expected="a distribution that lists it",
        actual=f"{count} on nobody's list",
        remedy="Install it as a distribution (pip install, or a wheel of your own code) instead of copying it, and "
        "keep its .dist-info; or put it into a folder of your own, named by PYTHONPATH.",
        evidence="\n".join(one.paths),
        identity="unowned",
    )


CHECK = Check(
    code="IC207",
    name="unowned-package",
    summary="site-packages holds modules that no distribution owns",
    needs=Needs.FILES,
    applies=lambda _contract: True,
    judge=judge,
)

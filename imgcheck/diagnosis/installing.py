"""What speaks against an install step: round the constraints, against pins, or open in what it brings.

What certainly undoes the contract's hold is a fault. What may change from one day to the next is a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from imgcheck.contract.model import Contract
from imgcheck.diagnosis.system_packages import cuda_libraries
from imgcheck.facts.plan import Install, Place, PlanFacts, Wanted
from imgcheck.outcome import Cause, Fault, Location

_NOTED_OPTIONS: Final = {
    "--force-reinstall": "installs anew what the base already has, its own builds among it",
    "--reinstall-package": "installs anew what the base already has",
    "--ignore-installed": "leaves what the base has in place and puts files over it",
    "--target": "installs into a folder of its own, where nothing sees what the base has",
    "--prefix": "installs into a folder of its own, where nothing sees what the base has",
    "--root": "installs into a folder of its own, where nothing sees what the base has",
    "--user": "installs into the user's folder, which goes before the base's for that user alone",
    "--override": "goes over what distributions require of one another",
}
_TOOLS: Final = ("pip", "uv pip")


def doubts(contract: Contract, install: Install) -> Iterator[Fault]:
    """All that is to be said of one install step."""
    yield from _bypass(contract, install)
    yield from _sync(contract, install)
    yield from _other_solver(contract, install)
    yield from _options(contract, install)
    yield from _open(contract, install)
    yield from _system(install)
    for why in install.unread:
        yield Fault(
            subject=subject_of(install),
            summary=f"{install.place}: what {subject_of(install)!r} installs cannot be told: {why}",
            actual=why,
            identity=why,
            cause=_cause(install),
            unverified=True,
        )


def subject_of(install: Install) -> str:
    """The install by what it asks for: the same in another image, wherever the line stands."""
    files = [f"-r {name.rpartition('/')[2]}" for name in install.files]
    named = [one.text for one in install.wanted if one.place == install.place]
    what = " ".join([*files, *named][:6])
    return f"{install.tool} {install.verb} {what}".strip() if install.tool in _TOOLS else f"{install.verb} {what}"


def _bypass(contract: Contract, install: Install) -> Iterator[Fault]:
    if not install.bypass:
        return
    if set(contract.pins) <= set(install.limited) and contract.pins:
        return  # its own constraint files name every pin; the image shows at which version
    missing = sorted(set(contract.pins) - set(install.limited))
    yield Fault(
        subject=subject_of(install),
        summary=f"{install.place} installs without the contract's constraints: {install.bypass}",
        expected="the contract's constraints in force",
        actual=install.bypass,
        remedy="Let the variable be, and give further constraints with -c, which adds to it."
        if install.on_base
        else "Build that stage FROM the contract's base, or give the line the contract's constraints file with -c.",
        cause=_cause(install),
        evidence=_free_requirements(contract, install, missing),
        identity="constraints not in force",
        note=not install.on_base,
    )


def _free_requirements(contract: Contract, install: Install, missing: list[str]) -> str:
    named = [f"{one.place} asks for {one.text}, which the contract pins" for one in _pinned(contract, install)]
    return "\n".join([*named, f"{len(missing)} of {len(contract.pins)} pins are not held there"])


def _pinned(contract: Contract, install: Install) -> list[Wanted]:
    return [one for one in install.wanted if one.name in contract.pins]


def _sync(contract: Contract, install: Install) -> Iterator[Fault]:
    """Uv pip sync and pip-sync remove what their files do not name."""
    if install.tool not in _TOOLS or install.verb != "sync" or not install.on_base or install.unread:
        return
    gone = sorted(set(contract.pins) - {one.name for one in install.wanted})
    if gone:
        yield Fault(
            subject=subject_of(install),
            summary=f"{install.place} removes what its files do not name: {len(gone)} of the contract's pins",
            expected="the contract's pins stay",
            actual=f"not named: {', '.join(gone[:8])}{' …' if len(gone) > 8 else ''}",
            remedy="Install with `install -r` in place of `sync`, or write the file with imgcheck lock --all.",
            cause=_cause(install),
            identity="sync removes pins",
        )


def _other_solver(contract: Contract, install: Install) -> Iterator[Fault]:
    """conda, uv's projects, poetry and their kind have solvers of their own, which no constraint reaches."""
    if install.tool not in ("conda", "uv", "project"):
        return
    names = {re.split(r"[=<>!~ \[]", one.text, maxsplit=1)[0].lower().replace("_", "-") for one in install.wanted}
    moved = sorted(names & set(contract.pins))
    certain = install.tool == "conda" and bool(moved) and install.on_base
    yield Fault(
        subject=subject_of(install),
        summary=f"{install.place}: {install.verb} does not obey the contract's constraints"
        f"{', and asks for ' + ', '.join(moved) if certain else ''}",
        expected="an installer that obeys constraints files",
        actual=install.command,
        remedy="Export its lock as a requirements file, and install that with pip or uv pip under the constraints.",
        cause=_cause(install),
        identity="no constraints",
        note=not certain,
    )


def _options(contract: Contract, install: Install) -> Iterator[Fault]:
    if not install.on_base:
        return
    for option in install.options:
        why = _NOTED_OPTIONS.get(option, "")
        if option in ("--upgrade", "--upgrade-package") and _pinned(contract, install):
            names = ", ".join(one.name for one in _pinned(contract, install))
            why = f"asks for newer versions of what the contract pins: {names}"
        if option == "--no-deps" and not all(one.pinned for one in install.wanted):
            why = "leaves out what its distributions require, and no lock says that all of it is there"
        if why:
            yield _note(install, f"{option} {why}", option, "Leave the option out, or install from a lock.")


def _open(contract: Contract, install: Install) -> Iterator[Fault]:
    if install.tool not in _TOOLS:
        return
    free = [one for one in install.wanted if one.applies and not one.pinned and one.name not in contract.pins]
    if free:
        listed = ", ".join(one.text for one in free[:6]) + (" …" if len(free) > 6 else "")
        what = f"leaves versions open, so that a rebuild may bring others: {listed}"
        yield _note(install, what, "open versions", "Lock them: imgcheck lock IN -c CONTRACT -o requirements.txt.")


def _system(install: Install) -> Iterator[Fault]:
    if install.tool != "apt" or not install.on_base:
        return
    found = cuda_libraries(one.text for one in install.wanted)
    if found:
        what = f"installs the CUDA libraries {', '.join(found)} beside those that the base was built with"
        yield _note(install, what, "cuda libraries", "Take them from the base, or change the base.")


def _note(install: Install, what: str, identity: str, remedy: str) -> Fault:
    return Fault(
        subject=subject_of(install),
        summary=f"{install.place} {what}",
        actual=install.command,
        remedy=remedy,
        cause=_cause(install),
        identity=identity,
        note=True,
    )


def _cause(install: Install) -> Cause:
    return Cause(step=install.command, step_location=_location(install.place), how="the Dockerfile says so")


def _location(place: Place) -> Location:
    return Location(file=place.file, line=place.line)


def unsettled_images(plan: PlanFacts) -> Iterator[Fault]:
    """Images and downloads whose name does not settle what they hold."""
    for one in plan.images:
        if not one.digest:
            tag = one.tag or "latest"
            what = f"the tag {tag} moves with every release" if tag == "latest" else "a tag can be moved"
            yield Fault(
                subject=one.reference,
                summary=f"{one.place} uses {one.reference} without a digest: {what}",
                actual=one.reference,
                remedy=f"Name its content: {one.reference}@sha256:….",
                location=_location(one.place),
                note=True,
            )
    for download in plan.downloads:
        if not download.checked:
            yield Fault(
                subject=download.address,
                summary=f"{download.place} adds {download.address}, whose content nothing settles",
                actual=download.address,
                remedy="Name its checksum (ADD --checksum=sha256:…), or a commit.",
                location=_location(download.place),
                note=True,
            )
